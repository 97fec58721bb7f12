#include "agents/span_column.h"

#include <algorithm>

namespace spindle::agents {

const SpanColumn* findSpanColumn(std::string_view name) {
  const auto* const found =
      std::find_if(kSpanColumns.begin(), kSpanColumns.end(),
                   [name](const SpanColumn& column) { return column.name == name; });
  return found == kSpanColumns.end() ? nullptr : found;
}

std::vector<const SpanColumn*> spanColumnsFor(unsigned uses) {
  std::vector<const SpanColumn*> columns;
  for (const SpanColumn& column : kSpanColumns) {
    if ((column.uses & uses) != 0) columns.push_back(&column);
  }
  return columns;
}

std::string_view columnOf(CustomType type) {
  switch (type) {
    case CustomType::kString:
      return "custom_attrs_string";
    case CustomType::kInt:
      return "custom_attrs_int";
    case CustomType::kFloat:
      return "custom_attrs_float";
    case CustomType::kBool:
      return "custom_attrs_bool";
  }
  return "";
}

std::optional<CustomType> customTypeOf(std::string_view column) {
  for (const CustomType type : kCustomTypes) {
    if (columnOf(type) == column) return type;
  }
  return std::nullopt;
}

}  // namespace spindle::agents
