#include "evaluation/recording/run_calls.h"

#include <memory>
#include <string>
#include <utility>

namespace spindle::evaluation {

Result<std::optional<tracing::Call>> findCall(tracing::CallStore& calls,
                                              const tracing::ProjectScope& project,
                                              std::string_view id) {
  std::unique_ptr<tracing::CallView> view = TRY(calls.view(project));
  return view->find(id);
}

Result<void> forChildren(tracing::CallStore& calls,
                         const tracing::ProjectScope& project,
                         std::string_view parent_id,
                         const std::vector<tracing::CallColumn>& columns,
                         const std::function<void(const tracing::Call&)>& each,
                         const tracing::CallPage& page) {
  std::unique_ptr<tracing::CallView> view = TRY(calls.view(project));
  tracing::CallQuery selection;
  selection.filter.parent_ids = std::vector<std::string>{std::string(parent_id)};
  std::unique_ptr<tracing::CallReader> reader = TRY(view->read(selection, page, columns));
  for (;;) {
    std::vector<tracing::Call> batch = TRY(reader->next());
    if (batch.empty()) return {};
    for (const tracing::Call& call : batch) each(call);
  }
}

}  // namespace spindle::evaluation
