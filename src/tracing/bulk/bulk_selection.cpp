#include "tracing/bulk/bulk_selection.h"

#include <algorithm>
#include <memory>
#include <unordered_set>
#include <utility>

#include "query/codec.h"
#include "schema/compound.h"
#include "schema/parse.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "tracing/routes/call_query_api.h"
#include "tracing/store/call_store.h"

namespace spindle::tracing {
namespace {

struct SelectionJson {
  std::optional<CallFilter> filter;
  std::optional<query::Query> query;
  std::optional<std::vector<std::string>> call_ids;
};

const schema::Codec<SelectionJson>& selectionCodec() {
  using schema::nullable;
  static const schema::Codec<SelectionJson> codec =
      schema::Record<SelectionJson>("BulkSelection")
          .optional("filter", &SelectionJson::filter, nullable(callFilterCodec()))
          .optional("query", &SelectionJson::query, nullable(query::queryCodec()))
          .optional("call_ids", &SelectionJson::call_ids, nullable(schema::list(schema::string())))
          .codec();
  return codec;
}

Result<bool> readIds(CallView& view,
                     const CallQuery& selection,
                     const std::function<Result<bool>(std::vector<std::string>)>& take) {
  const std::unique_ptr<CallReader> reader =
      TRY(view.read(selection, CallPage{}, {CallColumn::kId}));
  while (true) {
    std::vector<Call> calls = TRY(reader->next());
    if (calls.empty()) return true;
    std::vector<std::string> ids;
    ids.reserve(calls.size());
    for (Call& call : calls) ids.push_back(std::move(call.id));
    if (!TRY(take(std::move(ids)))) return false;
  }
}

/// Returns each id once.
std::vector<std::string> distinct(const std::vector<std::string>& ids) {
  std::unordered_set<std::string_view> seen;
  std::vector<std::string> all;
  for (const std::string& id : ids) {
    if (seen.insert(id).second) all.push_back(id);
  }
  return all;
}

}  // namespace

Result<BulkSelection> bulkSelectionOf(std::string_view json,
                                      const ProjectScope& project,
                                      objects::RefProjects& projects) {
  SelectionJson read = TRY(schema::parse(selectionCodec(), std::string(json)));
  BulkSelection selection;
  if (read.call_ids) {
    selection.call_ids = distinct(*read.call_ids);
    return selection;
  }
  CallQuery query = TRY(
      callQueryOf(std::move(read.filter), std::move(read.query), std::nullopt, project, projects));
  selection.query = std::move(query);
  return selection;
}

Result<std::int64_t> countCalls(CallStore& calls,
                                const ProjectScope& project,
                                const BulkSelection& selection,
                                std::int64_t limit) {
  if (selection.query) {
    const std::unique_ptr<CallView> view = TRY(calls.view(project));
    const CallCount count = TRY(view->count(*selection.query, limit + 1, false));
    return count.count;
  }
  std::int64_t count = 0;
  TRY(forCallIds(calls, project, selection, [&count](const std::vector<std::string>& ids) {
    count += static_cast<std::int64_t>(ids.size());
    return Result<bool>(true);
  }));
  return count;
}

Result<void> forCallIds(CallStore& calls,
                        const ProjectScope& project,
                        const BulkSelection& selection,
                        const std::function<Result<bool>(std::vector<std::string>)>& take) {
  const std::unique_ptr<CallView> view = TRY(calls.view(project));
  if (selection.query) {
    TRY(readIds(*view, *selection.query, take));
    return {};
  }
  for (std::size_t first = 0; first < selection.call_ids.size(); first += kMaxFilterList) {
    const std::size_t end = std::min(selection.call_ids.size(), first + kMaxFilterList);
    CallQuery some;
    some.filter.call_ids.emplace(selection.call_ids.begin() + static_cast<std::ptrdiff_t>(first),
                                 selection.call_ids.begin() + static_cast<std::ptrdiff_t>(end));
    if (!TRY(readIds(*view, some, take))) break;
  }
  return {};
}

}  // namespace spindle::tracing
