#include "inference/usage/completion_calls.h"

#include <map>
#include <string>
#include <utility>

#include "inference/usage/completion_call.h"

namespace spindle::inference {

Result<void> CompletionCalls::write(std::vector<TracedCompletion> completions) {
  std::map<std::string, std::vector<TracedCompletion>> by_project;
  for (TracedCompletion& completion : completions) {
    std::vector<TracedCompletion>& of_project = by_project[completion.project_id];
    of_project.push_back(std::move(completion));
  }
  Result<void> outcome;
  for (const auto& [project, of_project] : by_project) {
    Result<void> written = writeProject(of_project);
    if (!written && outcome) outcome = std::move(written);
  }
  return outcome;
}

Result<void> CompletionCalls::writeProject(const std::vector<TracedCompletion>& completions) {
  const std::string& project_id = completions.front().project_id;
  const std::optional<std::int64_t> days = TRY(ports_.retention_days(project_id));
  std::vector<tracing::CallPart> parts;
  for (const TracedCompletion& completion : completions) {
    const std::unique_ptr<objects::RefProjects> projects = ports_.ref_projects(completion.user_id);
    const std::unique_ptr<tracing::MediaStore> media =
        ports_.media_store(completion.user_id, {project_id, completion.project});
    const tracing::PayloadPorts payloads{*projects, *media};
    const tracing::IngestContext intake{.project = completion.project,
                                        .user_id = completion.user_id,
                                        .retention_days = days,
                                        .now = ports_.clock.now(),
                                        .ports = payloads};
    tracing::CallComplete call = TRY(tracing::toCallComplete(callOf(completion), intake));
    parts.emplace_back(std::move(call));
  }
  return ports_.calls.write(project_id, std::move(parts));
}

}  // namespace spindle::inference
