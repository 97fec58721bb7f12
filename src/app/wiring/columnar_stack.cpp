#include "app/wiring/columnar_stack.h"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "agents/columnar/span_row.h"
#include "app/wiring/log.h"
#include "feedback/store/feedback_row.h"
#include "inference/usage/columnar_usage_store.h"
#include "runs/store/columnar_history_store.h"
#include "tracing/store/call_row.h"
#include "tracing/store/otel_resource_store.h"

namespace spindle::app {
namespace {

/// Returns the families of the columnar store, in the order of FamilyIndex.
std::vector<columnar::Family> columnarFamilies() {
  return {tracing::callFamily(), feedback::feedbackFamily(), agents::spanFamily(),
          runs::historyFamily(), inference::usageFamily(),   tracing::otelResourceFamily()};
}

columnar::StoreOptions columnarOptions(const config::Settings& settings,
                                       const storage::DataFolder& folder) {
  const config::TraceSettings& traces = settings.traces;
  columnar::StoreOptions options;
  options.folder = folder.fileAt("traces");
  options.memory_bytes = traces.memory;
  options.recent_bytes = traces.recent;
  options.spill_bytes = traces.spill;
  options.threads = traces.threads > 0 ? static_cast<std::size_t>(traces.threads)
                                       : std::max(1U, std::thread::hardware_concurrency());
  options.query_time = traces.query_timeout;
  options.change_bytes = settings.limits.stored_request;
  return options;
}

}  // namespace

std::unique_ptr<columnar::Store> openColumnarStore(const config::Settings& settings,
                                                   const storage::DataFolder& folder,
                                                   MetricRegistry& metrics) {
  return columnar::Store::open(columnarOptions(settings, folder), columnarFamilies(), metrics);
}

ColumnarStack::ColumnarStack(const StackContext& context, IdentityStack& identity)
    : identity_(identity),
      store_(openColumnarStore(context.settings, context.folder, context.metrics)) {}

void ColumnarStack::runMaintenance() {
  const Result<std::vector<std::string>> partitions = store_->partitions();
  if (!partitions) return;
  for (const std::string& project_id : *partitions) {
    if (project_id == inference::kUsagePartition) continue;  // belongs to all projects
    const Result<identity::Project> project = identity_.projects.findById(project_id);
    if (project || project.error().code() != ErrorCode::kNotFound) continue;
    const Result<void> dropped = store_->dropPartition(project_id);
    kLog.info("traces_of_deleted_project_removed",
              {{"project", project_id}, {"done", dropped.has_value()}});
  }
}

}  // namespace spindle::app
