#include "evaluation/recording/run_calls.h"

#include <memory>
#include <string>
#include <utility>

namespace spindle::evaluation {

Result<std::optional<tracing::Call>> findCall(tracing::CallStore& calls,
                                              const tracing::ProjectScope& project,
                                              std::string_view id) {
  Result<std::unique_ptr<tracing::CallView>> view = calls.view(project);
  if (!view) return std::move(view).error();
  return (*view)->find(id);
}

Result<void> forChildren(tracing::CallStore& calls,
                         const tracing::ProjectScope& project,
                         std::string_view parent_id,
                         const std::vector<tracing::CallColumn>& columns,
                         const std::function<void(const tracing::Call&)>& each,
                         const tracing::CallPage& page) {
  Result<std::unique_ptr<tracing::CallView>> view = calls.view(project);
  if (!view) return std::move(view).error();
  tracing::CallQuery selection;
  selection.filter.parent_ids = std::vector<std::string>{std::string(parent_id)};
  Result<std::unique_ptr<tracing::CallReader>> reader = (*view)->read(selection, page, columns);
  if (!reader) return std::move(reader).error();
  for (;;) {
    Result<std::vector<tracing::Call>> batch = (*reader)->next();
    if (!batch) return std::move(batch).error();
    if (batch->empty()) return {};
    for (const tracing::Call& call : *batch) each(call);
  }
}

}  // namespace spindle::evaluation
