#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "json/writer.h"
#include "schema/type.h"
#include "training/api/training_api.h"
#include "training/api/training_views.h"

namespace spindle::training {

/// A job with the details that operators need.
struct JobDetail : JobView {
  JobDetail() = default;
  JobDetail(Job job, Timestamp now);

  std::string project;  ///< `team/project`
  std::optional<double> seconds_left;
  json::Text config_json;
  std::optional<std::string> data_url;
  std::int64_t data_bytes = 0;
  std::string created_by;
  std::optional<std::int64_t> queue_position;  ///< only if the job waits
  std::optional<std::string> trainer;          ///< only if a trainer holds the job
};
schema::Codec<JobDetail> jobDetailCodec();

/// Returns the details of jobs, with their state in the queue. Blocks. @return kUnavailable.
Result<std::vector<JobDetail>> jobDetails(const TrainingServices& services, std::vector<Job> jobs);
Result<JobDetail> jobDetail(const TrainingServices& services, Job job);

}  // namespace spindle::training
