#pragma once

#include <cstdint>
#include <string>

namespace spindle::bench {

/// One call of the synthetic application that the benchmarks trace: a chat turn of four calls,
/// about 1 KB each. The same number always gives the same call.
struct BenchCall {
  std::string id;
  std::string trace_id;
  std::string parent_id;  ///< empty: a root
  std::string op_name;
  std::int64_t started_at_us = 0;
  std::int64_t ended_at_us = 0;
  std::string exception;  ///< empty: none
  std::string attributes;
  std::string inputs;
  std::string output;
  std::string summary;
};

/// Returns call number `index`; call 0 starts at `epoch_us`.
BenchCall makeCall(std::uint64_t index, std::int64_t epoch_us);

/// Formats a time as `2024-05-01T00:00:00.123456Z`.
std::string timeText(std::int64_t us);

/// Appends the call as an item of a batch for `/v2/{entity}/{project}/calls/complete`.
void appendJson(const BenchCall& call, const std::string& project, std::string& out);

}  // namespace spindle::bench
