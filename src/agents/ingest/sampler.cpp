#include "agents/ingest/sampler.h"

#include <algorithm>
#include <cstdint>

#include "base/crypto/crypto.h"

namespace spindle::agents {
namespace {

constexpr std::uint32_t kSteps = 1'000'000;
constexpr std::size_t kTraceIdLength = 32;

}  // namespace

Sampler::Sampler(double rate, bool dry_run)
    : rate_(rate >= 0 && rate <= 1 ? rate : 1.0), dry_run_(dry_run) {}

bool Sampler::isExempt(std::string_view trace_id) {
  return trace_id.size() != kTraceIdLength ||
         std::all_of(trace_id.begin(), trace_id.end(), [](char c) { return c == '0'; });
}

bool Sampler::keeps(std::string_view trace_id) const {
  // The digest is one large big-endian number.
  std::uint64_t remainder = 0;
  for (const std::uint8_t byte : sha256(trace_id)) remainder = (remainder << 8U | byte) % kSteps;
  return static_cast<double>(remainder) < rate_ * kSteps;
}

}  // namespace spindle::agents
