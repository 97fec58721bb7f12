#include "feedback/feedback_fields.h"

#include <algorithm>
#include <array>
#include <utility>

#include "feedback/feedback.h"

namespace spindle::feedback {
namespace {

using query::Field, query::FieldKind, query::Sql;

constexpr auto kTextColumns = std::to_array<SqlName>(
    {"id", "svc_ref", "svc_user_id", "creator", "feedback_type", "annotation_ref", "runnable_ref",
     "call_ref", "trigger_ref", "queue_id", "span_agent_name", "span_agent_version",
     "span_status_code", "span_conversation_id", "span_trace_id", "scorer_trace_id"});
constexpr auto kMaps =
    std::to_array<SqlName>({"scorer_tag_reasons", "scorer_tag_confidences", "scorer_ratings",
                            "scorer_rating_reasons", "scorer_rating_confidences"});

template <class List>
std::optional<SqlName> findName(const List& list, std::string_view name) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [name](SqlName candidate) { return candidate.text() == name; });
  return found == list.end() ? std::nullopt : std::optional(*found);
}

Field column(FieldKind kind, SqlName name) {
  Field field;
  field.kind = kind;
  field.sql = Sql("f.").add(name);
  return field;
}

Error unknownField(std::string_view path) {
  return Error::invalidArgument("Unknown field: " + std::string(path));
}

Error fieldNotAllowed(std::string_view path) {
  return {ErrorCode::kUnprocessable,
          "Field " + std::string(path) +
              " is not allowed. Use feedback.[type].payload.<path>, "
              "feedback.[type].runnable_ref or feedback.[type].trigger_ref."};
}

/// Joins the rest of a path into the key of a map; the key may contain dots.
std::string keyOf(const std::vector<std::string>& parts) {
  std::string key = parts[1];
  for (std::size_t i = 2; i < parts.size(); ++i) key += "." + parts[i];
  return key;
}

}  // namespace

Result<Field> FeedbackFields::resolve(std::string_view path) const {
  const std::vector<std::string> parts = TRY(query::splitPath(path));
  const std::string& name = parts.front();
  const bool whole = parts.size() == 1;
  const std::optional<SqlName> text = findName(kTextColumns, name);
  if (whole && text) return column(FieldKind::kText, *text);
  if (whole && name == "created_at") return column(FieldKind::kTime, "created_at");
  if (whole && name == "scorer_tags") return column(FieldKind::kTexts, "scorer_tags");
  if (whole && name == "project_id") {
    Field field;
    field.sql.add("CAST(").param(project_).add(" AS VARCHAR)");
    return field;
  }
  if (name == "payload") {
    Field field = column(FieldKind::kJson, "payload");
    field.path.assign(parts.begin() + 1, parts.end());
    return field;
  }
  if (const std::optional<SqlName> map = findName(kMaps, name)) {
    Field field = column(FieldKind::kJson, *map);
    if (!whole) field.path = {keyOf(parts)};
    return field;
  }
  return unknownField(path);
}

Result<Field> CallFeedbackFields::resolve(std::string_view path) const {
  constexpr std::string_view kStart = "feedback.[";
  const std::size_t close = path.find("].");
  if (!path.starts_with(kStart) || close == std::string_view::npos) return fieldNotAllowed(path);
  const std::string_view type = path.substr(kStart.size(), close - kStart.size());
  const std::vector<std::string> parts = TRY(query::splitPath(path.substr(close + 2)));
  const std::string& name = parts.front();
  constexpr auto kRefs = std::to_array<SqlName>({"runnable_ref", "trigger_ref"});
  const std::optional<SqlName> ref = parts.size() == 1 ? findName(kRefs, name) : std::nullopt;
  if (!ref && name != "payload") return fieldNotAllowed(path);

  Field field = ref ? column(FieldKind::kText, *ref) : column(FieldKind::kJson, "payload");
  field.path.assign(parts.begin() + 1, parts.end());
  query::RelatedRows rows;
  rows.source = Sql("FROM " + rows_ + " AS f WHERE f.target_kind = 'call' AND f.target_id = c.id");
  rows.newest = SqlText("f.created_at");
  if (type == "*") {
    rows.skip_empty = true;
  } else {
    rows.source.add(" AND f.feedback_type = ").param(std::string(type));
  }
  field.rows = std::move(rows);
  return field;
}

}  // namespace spindle::feedback
