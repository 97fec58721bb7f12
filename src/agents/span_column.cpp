#include "agents/span_column.h"

#include <algorithm>

namespace spindle::agents {
namespace {

constexpr auto kPrefixes = std::to_array<std::string_view>({"svc.", "gen_ai."});

std::string_view withoutPrefix(std::string_view name) {
  for (const std::string_view prefix : kPrefixes) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return name;
}

bool isAmong(std::string_view name, std::string_view list) {
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(' ', begin), list.size());
    if (list.substr(begin, end - begin) == name) return true;
    begin = end + 1;
  }
  return false;
}

const SpanColumn* findFor(SpanUse use, std::string_view name) {
  const std::string_view bare = withoutPrefix(name);
  for (const SpanColumn& column : kSpanColumns) {
    if (column.is(use) && isAmong(bare, column.attributes)) return &column;
  }
  const SpanColumn* column = findSpanColumn(name);
  return column != nullptr && column->is(use) ? column : nullptr;
}

}  // namespace

const SpanColumn* findQueried(std::string_view name) { return findFor(kQueried, name); }
const SpanColumn* findGrouped(std::string_view name) { return findFor(kGrouped, name); }

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
