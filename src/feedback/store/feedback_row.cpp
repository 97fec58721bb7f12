#include "feedback/store/feedback_row.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace spindle::feedback {
namespace {

using columnar::Value;

columnar::ColumnType typeOf(const FeedbackColumn& column) {
  if (std::holds_alternative<FeedbackColumn::Time>(column.member))
    return columnar::ColumnType::kTime;
  if (std::holds_alternative<FeedbackColumn::Texts>(column.member))
    return columnar::ColumnType::kTexts;
  return columnar::ColumnType::kText;
}

template <class T>
Value valueOf(T value) {
  return Value(std::move(value));
}
Value valueOf(std::optional<std::string> text) { return text ? Value(*std::move(text)) : Value(); }

}  // namespace

columnar::Family feedbackFamily() {
  columnar::Family family{"feedback", {}, 0, 1};
  for (const FeedbackColumn& column : kFeedbackColumns) {
    family.columns.push_back({column.name, typeOf(column)});
  }
  family.key_order = columnar::kUuid7Order;
  return family;
}

SqlName columnNamed(std::string_view name) {
  const FeedbackColumn* found = findFeedbackColumn(name);
  if (found == nullptr) throw std::logic_error("no column " + std::string(name));
  return found->name;
}

columnar::Row rowOf(Feedback feedback) {
  columnar::Row row;
  row.reserve(kFeedbackColumns.size());
  for (const FeedbackColumn& column : kFeedbackColumns) {
    row.push_back(std::visit(
        [&feedback](auto member) { return valueOf(std::move(feedback.*member)); }, column.member));
  }
  return row;
}

SqlText columnList() {
  SqlText list;
  for (const FeedbackColumn& column : kFeedbackColumns) {
    list.add(list.empty() ? SqlView("f.") : SqlView(", f.")).add(column.name);
  }
  return list;
}

}  // namespace spindle::feedback
