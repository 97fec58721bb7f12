#include "feedback/feedback_fields.h"

#include <variant>

#include "feedback/feedback_columns.h"
#include "query/field.h"

namespace spindle::feedback {
namespace {

/// Joins the rest of a path into the key of a map; the key may contain dots.
std::string mapKeyOf(const std::vector<std::string>& parts) {
  std::string key = parts[1];
  for (std::size_t i = 2; i < parts.size(); ++i) key += "." + parts[i];
  return key;
}

FeedbackFieldType plainTypeOf(const FeedbackColumn& column) {
  if (std::holds_alternative<FeedbackColumn::Time>(column.member)) return FeedbackFieldType::kTime;
  if (std::holds_alternative<FeedbackColumn::Texts>(column.member)) {
    return FeedbackFieldType::kTexts;
  }
  return FeedbackFieldType::kText;
}

}  // namespace

Result<FeedbackField> feedbackField(std::string_view path) {
  using Type = FeedbackFieldType;
  const std::vector<std::string> parts = TRY(query::splitPath(path));
  const std::string& name = parts.front();
  const bool whole = parts.size() == 1;
  if (whole && name == "project_id") return FeedbackField{Type::kProject, name};
  const FeedbackColumn* column = findFeedbackColumn(name);
  if (column != nullptr && column->isJson()) {
    const bool in_map = column->form == FeedbackColumn::Form::kMap && !whole;
    return FeedbackField{Type::kJson, name,
                         in_map ? std::vector<std::string>{mapKeyOf(parts)}
                                : std::vector<std::string>(parts.begin() + 1, parts.end())};
  }
  if (column != nullptr && column->form == FeedbackColumn::Form::kPlain && whole) {
    return FeedbackField{plainTypeOf(*column), name};
  }
  return Error::invalidArgument("Unknown field: " + std::string(path));
}

}  // namespace spindle::feedback
