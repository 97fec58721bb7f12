#include "app/traces/columnar_families.h"

#include <algorithm>
#include <thread>
#include <vector>

#include "agents/sql/span_row.h"
#include "backup/data_layout.h"
#include "feedback/store/feedback_row.h"
#include "inference/usage/columnar_usage_store.h"
#include "runs/store/history_row.h"
#include "tracing/store/call_row.h"
#include "tracing/store/otel_resource_store.h"

namespace spindle::app {
namespace {

columnar::StoreOptions columnarOptions(const config::Settings& settings,
                                       const storage::DataFolder& folder) {
  const config::TraceSettings& traces = settings.traces;
  columnar::StoreOptions options;
  options.folder = folder.fileAt(backup::kTracesFolder);
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

std::vector<columnar::Family> columnarFamilies() {
  return {tracing::callFamily(), feedback::feedbackFamily(), agents::spanFamily(),
          runs::historyFamily(), inference::usageFamily(),   tracing::otelResourceFamily()};
}

std::unique_ptr<columnar::Store> openColumnarStore(const config::Settings& settings,
                                                   const storage::DataFolder& folder,
                                                   MetricRegistry& metrics) {
  return columnar::Store::open(columnarOptions(settings, folder), columnarFamilies(), metrics);
}

}  // namespace spindle::app
