#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schema/type.h"
#include "training/jobs/job.h"

namespace spindle::training {

/// The codec of JobResources, for requests and responses.
schema::Codec<JobResources> resourcesCodec();

/// The properties of a job that determine its trainers. Stored with the job in the queue.
struct JobDemand {
  JobKind kind = JobKind::kRl;
  std::string team_id = {};  ///< the team of the model, which may use the base model
  std::string base_model = {};
  JobResources resources = {};
};

/// Return the stored text of a demand, and the demand of a text. An unreadable text, such as that
/// of a job from before demands, has no base model and needs nothing.
std::string demandText(const JobDemand& demand);
JobDemand demandOf(std::string text);

/// Return the stored text of resources, and the resources of a text.
std::string resourcesText(const JobResources& resources);
JobResources resourcesOf(std::string text);

}  // namespace spindle::training
