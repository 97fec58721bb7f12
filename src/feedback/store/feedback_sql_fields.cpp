#include "feedback/store/feedback_sql_fields.h"

#include <array>
#include <cstddef>
#include <utility>

#include "feedback/feedback_fields.h"
#include "feedback/store/feedback_row.h"

namespace spindle::feedback {
namespace {

using query::Field, query::FieldKind, query::Sql;

/// Kinds in the order of FeedbackFieldType.
constexpr std::array kKinds = {FieldKind::kText, FieldKind::kTime, FieldKind::kTexts,
                               FieldKind::kText, FieldKind::kJson};

Field columnField(FieldKind kind, SqlName name) {
  Field field;
  field.kind = kind;
  field.sql = Sql("f.").add(name);
  return field;
}

Error fieldNotAllowed(std::string_view path) {
  return {ErrorCode::kUnprocessable,
          "Field " + std::string(path) +
              " is not allowed. Use feedback.[type].payload.<path>, "
              "feedback.[type].runnable_ref or feedback.[type].trigger_ref."};
}

}  // namespace

Result<Field> FeedbackSqlFields::resolve(std::string_view path) const {
  FeedbackField known = TRY(feedbackField(path));
  if (known.type == FeedbackFieldType::kProject) {
    Field field;
    field.sql = dialect_.parameter(project_, FieldKind::kText);
    return field;
  }
  Field field =
      columnField(kKinds.at(static_cast<std::size_t>(known.type)), columnNamed(known.name));
  field.path = std::move(known.path);
  return field;
}

Result<Field> CallFeedbackFields::resolve(std::string_view path) const {
  constexpr std::string_view kStart = "feedback.[";
  const std::size_t close = path.find("].");
  if (!path.starts_with(kStart) || close == std::string_view::npos) return fieldNotAllowed(path);
  const std::string_view type = path.substr(kStart.size(), close - kStart.size());
  const std::vector<std::string> parts = TRY(query::splitPath(path.substr(close + 2)));
  const std::string& name = parts.front();
  const bool ref = parts.size() == 1 && (name == "runnable_ref" || name == "trigger_ref");
  if (!ref && name != "payload") return fieldNotAllowed(path);

  Field field = columnField(ref ? FieldKind::kText : FieldKind::kJson, columnNamed(name));
  field.path.assign(parts.begin() + 1, parts.end());
  query::RelatedRows rows;
  rows.from = Sql(rows_).add(" AS f");
  rows.condition = Sql("f.target_kind = 'call'");
  rows.key = SqlText("f.target_id");
  rows.owner = SqlText("c.id");
  rows.newest = SqlText("f.created_at");
  if (type == "*") {
    rows.skip_empty = true;
  } else {
    rows.condition.add(" AND f.feedback_type = ").param(std::string(type));
  }
  field.rows = std::move(rows);
  return field;
}

}  // namespace spindle::feedback
