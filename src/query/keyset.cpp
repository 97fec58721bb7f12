#include "query/keyset.h"

#include <optional>
#include <string>
#include <utility>

namespace spindle::query {
namespace {

SqlText nameOfValue(std::size_t index) { return "sort_" + SqlText::number(index); }

/// Returns the value as a parameter of the column's type; nothing for a value of another type.
std::optional<columnar::Value> parameterOf(const SortValue& value, FieldKind kind) {
  if (kind == FieldKind::kReal) {
    if (const auto* number = std::get_if<double>(&value)) return columnar::Value(*number);
  } else if (kind == FieldKind::kText) {
    if (const auto* text = std::get_if<std::string>(&value)) return columnar::Value(*text);
  } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
    if (kind == FieldKind::kTime) return columnar::Value(timestampOfMicros(*number));
    return columnar::Value(*number);
  }
  return std::nullopt;
}

}  // namespace

Error unknownPosition() {
  return {ErrorCode::kUnprocessable, "The cursor does not belong to this query."};
}

Sql sortValues(const std::vector<SortColumn>& columns) {
  Sql list;
  for (std::size_t i = 0; i < columns.size(); ++i)
    list.add(", ").add(columns[i].sql).add(" AS " + nameOfValue(i));
  return list;
}

SqlText sortOrder(const std::vector<SortColumn>& columns) {
  SqlText order;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) order += ", ";
    order += nameOfValue(i);
    order += columns[i].descending ? SqlView(" DESC NULLS LAST") : SqlView(" ASC NULLS LAST");
  }
  return order;
}

Result<Sql> isAfter(const Position& position, const std::vector<SortColumn>& columns) {
  if (position.size() != columns.size()) return unknownPosition();
  // (a after x) OR (a = x AND ((b after y) OR (b = y AND …))), from the last column to the first.
  Sql after("FALSE");
  for (std::size_t i = columns.size(); i-- > 0;) {
    const SqlText name = nameOfValue(i);
    if (std::holds_alternative<std::monostate>(position[i])) {
      after = Sql("(" + name + " IS NULL AND ").add(after).add(")");
      continue;
    }
    const std::optional<columnar::Value> value = parameterOf(position[i], columns[i].kind);
    if (!value) return unknownPosition();
    Sql rest = std::move(after);
    after = Sql("(" + name + (columns[i].descending ? SqlView(" < ") : SqlView(" > ")));
    after.param(*value).add(" OR " + name + " IS NULL OR (" + name + " = ").param(*value);
    after.add(" AND ").add(rest).add("))");
  }
  return after;
}

}  // namespace spindle::query
