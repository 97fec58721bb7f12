#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "trainer/jobs/job.h"

namespace spindle::trainer {

/// A leased job, as received from the server (docs/trainer_protocol.md).
struct Lease {
  std::string job_id;
  std::string token;
  std::int64_t seconds = 60;
  JobSpec::Kind kind = JobSpec::Kind::kSft;
  std::string base_model;
  std::string base_file;  ///< path on the server's host
  std::uint64_t base_size = 0;
  std::int64_t base_revision = 0;  ///< changes with the file
  std::vector<std::string> adapter_files;
  std::vector<std::string> reference_files;
  std::string config;
  std::vector<RewardSpread> reward_history;
  bool has_state = false;
  std::uint64_t last_sequence = 0;

  /// Returns the path of a request about the job.
  std::string path(std::string_view rest) const {
    return "/api/v1/trainer/jobs/" + job_id + std::string(rest);
  }
};

/// Parses a lease. Checks that file names are single path components. @return kInvalidArgument if
/// it is invalid
Result<Lease> leaseOf(std::string body);

}  // namespace spindle::trainer
