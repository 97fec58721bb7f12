#include "app/traces/embedded_traces.h"

#include <string>
#include <utility>
#include <vector>

#include "app/traces/columnar_families.h"
#include "app/traces/log.h"
#include "tracing/store/otel_resource_store.h"

namespace spindle::app {

EmbeddedTraces::EmbeddedTraces(TraceStorePorts ports)
    : ports_(std::move(ports)),
      store_(openColumnarStore(ports_.settings, ports_.folder, ports_.metrics)),
      feedback_(*store_, kFeedback),
      calls_(*store_,
             kCalls,
             kOtelResources,
             tracing::CallJoins{
                 .ref_values = ports_.ref_values,
                 .feedback_fields =
                     [this](const columnar::Snapshot& snapshot, std::string_view project) {
                       return feedback_.callFields(snapshot, project);
                     },
                 .queue_fields =
                     [this](std::string_view project) {
                       return ports_.queue_fields(project, query::duckDbDialect());
                     }},
             ports_.call_changes),
      spans_(*store_, {kSpans, kOtelResources, kFeedback}, &ports_.ended_turns, &ports_.changes),
      history_(*store_, kRunHistory),
      usage_(*store_, kInferenceUsage) {}

void EmbeddedTraces::removeProjects(
    const std::function<bool(std::string_view project_id)>& is_deleted) {
  const Result<std::vector<std::string>> partitions = store_->partitions();
  if (!partitions) return;
  for (const std::string& project_id : *partitions) {
    if (project_id == inference::kUsagePartition) continue;  // belongs to all projects
    if (!is_deleted(project_id)) continue;
    const Result<void> dropped = store_->dropPartition(project_id);
    kLog.info("traces_of_deleted_project_removed",
              {{"project", project_id}, {"done", dropped.has_value()}});
  }
}

Result<void> EmbeddedTraces::check() {
  TRY(store_->partitions());
  return {};
}

Result<std::int64_t> EmbeddedTraces::removeUnusedResources() {
  return tracing::removeUnusedOtelResources(
      *store_, kOtelResources, {{kCalls, "otel_resource"}, {kSpans, "resource_digest"}},
      ports_.clock.now());
}

}  // namespace spindle::app
