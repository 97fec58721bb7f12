#include "tracing/routes/call_presenter.h"

#include <algorithm>
#include <set>
#include <utility>

#include "query/field.h"
#include "tracing/ingest/json_path.h"
#include "tracing/routes/call_preview.h"
#include "tracing/routes/call_usage.h"
#include "tracing/store/call_store.h"

namespace spindle::tracing {
namespace {

using Path = std::vector<std::string>;

/// Returns the payload that a path starts with, or null.
std::optional<Payload>* payloadOf(Call& call, std::string_view column) {
  if (column == "inputs") return &call.inputs;
  if (column == "output") return &call.output;
  if (column == "attributes") return &call.attributes;
  return column == "summary" ? &call.summary : nullptr;
}

std::vector<std::string> idsOf(const std::vector<Call>& calls) {
  std::vector<std::string> ids;
  ids.reserve(calls.size());
  for (const Call& call : calls) ids.push_back(call.id);
  return ids;
}

/// Sorts shallow paths first, because deeper ones lie inside the expanded values.
Result<std::vector<Path>> pathsOf(const std::vector<std::string>& columns) {
  std::vector<Path> paths;
  for (const std::string& column : columns) {
    Path path = TRY(query::splitPath(column));
    if (!path.empty()) paths.push_back(std::move(path));
  }
  std::stable_sort(paths.begin(), paths.end(),
                   [](const Path& a, const Path& b) { return a.size() < b.size(); });
  return paths;
}

}  // namespace

CallPresenter::CallPresenter(PresenterPorts ports,
                             ProjectScope project,
                             CallReadOptions options,
                             wire::Spelling spelling,
                             std::unique_ptr<objects::RefProjects> projects)
    : ports_(std::move(ports)),
      project_(std::move(project)),
      options_(std::move(options)),
      spelling_(spelling),
      projects_(std::move(projects)) {}

CallPresenter::~CallPresenter() = default;

CallProjection CallPresenter::projection() const {
  CallProjection read = options_.members.columns();
  std::vector<CallColumn>& columns = read.columns;
  if (options_.costs && !options_.members.summary) columns.push_back(CallColumn::kSummary);
  if (options_.storage_size) {
    columns.insert(columns.end(),
                   {CallColumn::kStartBytes, CallColumn::kOutputBytes, CallColumn::kSummaryBytes});
  }
  if (options_.usernames && !options_.members.user_id) columns.push_back(CallColumn::kUserId);
  if (options_.preview_bytes) {
    read.preview_characters = previewCharacters(*options_.preview_bytes);
    std::erase(columns, CallColumn::kOtelDump);
  }
  return read;
}

Result<std::vector<std::string>> CallPresenter::present(std::vector<Call> calls) {
  std::vector<CallExtras> extras(calls.size());
  if (options_.costs) {
    TRY(addCosts(calls, extras));
  }
  if (options_.feedback) {
    TRY(addFeedback(calls, extras));
  }
  if (options_.storage_size || options_.total_storage_size) {
    TRY(addSizes(calls, extras));
  }
  if (options_.usernames) {
    TRY(addUsernames(calls, extras));
  }
  if (!options_.expand_columns.empty()) {
    TRY(expand(calls));
  }
  if (options_.preview_bytes) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      TRY(showPreviews(calls[i], extras[i], *options_.preview_bytes, *projects_, spelling_));
    }
  }
  const CallFormat style{project_.name, spelling_, options_.members};
  std::vector<std::string> texts;
  texts.reserve(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    texts.push_back(callJson(calls[i], style, extras[i]));
    TRY(objects::externalizeRefs(texts.back(), *projects_, spelling_));
  }
  return texts;
}

Result<void> CallPresenter::addCosts(const std::vector<Call>& calls,
                                     std::vector<CallExtras>& extras) {
  if (!prices_) {
    std::shared_ptr<const pricing::ProjectPrices> prices = TRY(ports_.prices(project_.id));
    prices_ = std::move(prices);
  }
  for (std::size_t i = 0; i < calls.size(); ++i)
    extras[i].costs = costsOf(calls[i], *prices_, project_.name);
  return {};
}

Result<void> CallPresenter::addFeedback(const std::vector<Call>& calls,
                                        std::vector<CallExtras>& extras) {
  if (calls.empty()) return {};
  const std::unordered_map<std::string, std::string> lists =
      TRY(ports_.feedback(project_, idsOf(calls), spelling_));
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto list = lists.find(calls[i].id);
    extras[i].feedback = list == lists.end() ? "[]" : list->second;
  }
  return {};
}

Result<void> CallPresenter::addSizes(const std::vector<Call>& calls,
                                     std::vector<CallExtras>& extras) {
  std::set<std::string> traces;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (options_.storage_size) extras[i].storage_bytes = calls[i].storageBytes();
    if (!calls[i].parent_id) traces.insert(calls[i].trace_id);
  }
  if (!options_.total_storage_size || traces.empty()) return {};
  std::unique_ptr<CallView> view = TRY(ports_.calls.view(project_));
  const std::unordered_map<std::string, std::int64_t> bytes =
      TRY(view->traceBytes({traces.begin(), traces.end()}));
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].parent_id) continue;
    const auto found = bytes.find(calls[i].trace_id);
    extras[i].total_storage_bytes = found == bytes.end() ? 0 : found->second;
  }
  return {};
}

Result<void> CallPresenter::addUsernames(const std::vector<Call>& calls,
                                         std::vector<CallExtras>& extras) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!calls[i].user_id) continue;
    auto known = usernames_.find(*calls[i].user_id);
    if (known == usernames_.end()) {
      std::optional<std::string> name = TRY(ports_.username(*calls[i].user_id));
      known = usernames_.emplace(*calls[i].user_id, std::move(name)).first;
    }
    extras[i].username = known->second;
  }
  return {};
}

Result<void> CallPresenter::expand(std::vector<Call>& calls) {
  const std::vector<Path> paths = TRY(pathsOf(options_.expand_columns));
  for (const Path& path : paths) {
    const Path inside(path.begin() + 1, path.end());
    std::vector<std::optional<Payload>*> holders;
    std::vector<std::string> refs;
    for (Call& call : calls) {
      std::optional<Payload>* payload = payloadOf(call, path.front());
      if (payload == nullptr || !*payload) continue;
      std::optional<std::string> ref = stringAt(**payload, inside);
      if (!ref || wire::splitRef(*ref).scheme != wire::RefScheme::kInternal) continue;
      holders.push_back(payload);
      refs.push_back(*std::move(ref));
    }
    if (refs.empty()) continue;
    const std::vector<std::optional<std::string>> values =
        TRY(ports_.ref_values.valuesOf(project_.id, refs));
    for (std::size_t i = 0; i < refs.size(); ++i) {
      const std::optional<std::string>& value = values[i];
      if (value) *holders[i] = replacedAt(**holders[i], inside, withRef(*value, refs[i]));
    }
  }
  return {};
}

}  // namespace spindle::tracing
