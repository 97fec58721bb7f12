#include "tracing/bulk/dataset_row.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"
#include "objects/values/ref.h"
#include "query/field.h"

namespace spindle::tracing {
namespace {

constexpr auto kTexts = std::to_array<std::pair<std::string_view, std::string Call::*>>(
    {{"id", &Call::id}, {"trace_id", &Call::trace_id}, {"op_name", &Call::op_name}});
constexpr auto kOptionalTexts =
    std::to_array<std::pair<std::string_view, std::optional<std::string> Call::*>>(
        {{"display_name", &Call::display_name}, {"exception", &Call::exception}});
constexpr auto kPayloadTexts =
    std::to_array<std::pair<std::string_view, std::optional<Payload> Call::*>>(
        {{"inputs", &Call::inputs},
         {"output", &Call::output},
         {"attributes", &Call::attributes},
         {"summary", &Call::summary}});

template <class List>
auto memberNamed(const List& list, std::string_view name) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [name](const auto& each) { return each.first == name; });
  return found == list.end() ? nullptr : found->second;
}

std::string callRef(const Call& call, const ProjectScope& project) {
  objects::Ref ref;
  ref.scheme = wire::RefScheme::kInternal;
  ref.project = project.id;
  ref.kind = objects::RefKind::kCall;
  ref.name = call.id;
  return objects::printRef(ref);
}

/// Returns the value at the path below the first part; parts of digits are also positions in lists.
std::optional<json::Node> valueAt(json::Node node, const std::vector<std::string>& path) {
  for (std::size_t i = 1; i < path.size(); ++i) {
    std::optional<json::Node> next;
    if (node.isObject()) next = node.find(path[i]);
    if (node.isArray()) {
      std::size_t position = 0;
      for (const json::Node item : node) {
        if (std::to_string(position++) == path[i]) next = item;
      }
    }
    if (!next) return std::nullopt;
    node = *next;
  }
  return node;
}

void writePayload(const std::optional<Payload>& payload,
                  const std::vector<std::string>& path,
                  json::Writer& out) {
  if (!payload) {
    out.null();
    return;
  }
  if (path.size() == 1) {
    out.raw(*payload);
    return;
  }
  const json::Document document = json::parseStored(*payload);
  const std::optional<json::Node> value = valueAt(document.root(), path);
  value ? out.raw(value->raw()) : out.null();
}

}  // namespace

Result<DatasetColumn> datasetColumn(std::string name, std::string_view path) {
  DatasetColumn column{std::move(name), TRY(query::splitPath(path))};
  const std::string& first = column.path.front();
  const bool payload = memberNamed(kPayloadTexts, first) != nullptr;
  const bool text = first == "ref" || memberNamed(kTexts, first) != nullptr ||
                    memberNamed(kOptionalTexts, first) != nullptr;
  if (payload || (text && column.path.size() == 1)) return column;
  return Error::invalidArgument("The column '" + column.name + "' has the path '" +
                                std::string(path) +
                                "'. Use id, trace_id, op_name, display_name, exception, ref, or a "
                                "path in inputs, output, attributes or summary.");
}

std::vector<CallColumn> datasetCallColumns() {
  return {CallColumn::kId,          CallColumn::kTraceId,    CallColumn::kOpName,
          CallColumn::kDisplayName, CallColumn::kException,  CallColumn::kInputs,
          CallColumn::kOutput,      CallColumn::kAttributes, CallColumn::kSummary};
}

std::string datasetRow(const Call& call,
                       const ProjectScope& project,
                       const std::vector<DatasetColumn>& columns) {
  std::string row;
  json::Writer out(row);
  out.beginObject();
  for (const DatasetColumn& column : columns) {
    const std::string& first = column.path.front();
    out.key(column.name);
    if (const auto text = memberNamed(kTexts, first); text != nullptr) {
      out.string(call.*text);
    } else if (const auto optional = memberNamed(kOptionalTexts, first); optional != nullptr) {
      call.*optional ? out.string(*(call.*optional)) : out.null();
    } else if (first == "ref") {
      out.string(callRef(call, project));
    } else {
      writePayload(call.*memberNamed(kPayloadTexts, first), column.path, out);
    }
  }
  out.endObject();
  return row;
}

}  // namespace spindle::tracing
