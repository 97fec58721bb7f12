#include "clickhouse/client/column_type.h"

#include <array>
#include <charconv>

namespace spindle::clickhouse {
namespace {

struct PlainType {
  std::string_view name;
  ColumnType type;
};

constexpr auto kPlainTypes = std::to_array<PlainType>({
    {"String", {TypeKind::kText, false, 0}},
    {"Int8", {TypeKind::kInteger, false, 1, true}},
    {"Int16", {TypeKind::kInteger, false, 2, true}},
    {"Int32", {TypeKind::kInteger, false, 4, true}},
    {"Int64", {TypeKind::kInteger, false, 8, true}},
    {"UInt8", {TypeKind::kInteger, false, 1, false}},
    {"UInt16", {TypeKind::kInteger, false, 2, false}},
    {"UInt32", {TypeKind::kInteger, false, 4, false}},
    {"UInt64", {TypeKind::kInteger, false, 8, false}},
    {"Float32", {TypeKind::kReal, false, 4}},
    {"Float64", {TypeKind::kReal, false, 8}},
    {"Bool", {TypeKind::kBoolean, false, 1}},
    {"DateTime", {TypeKind::kTime, false, 4}},
    {"Nothing", {TypeKind::kNothing, false, 1}},
});

/// Returns the text between `name(` and the last `)`, or nothing for another type.
std::optional<std::string_view> argumentOf(std::string_view type, std::string_view name) {
  if (!type.starts_with(name) || !type.ends_with(')')) return std::nullopt;
  type.remove_prefix(name.size());
  if (!type.starts_with('(')) return std::nullopt;
  return type.substr(1, type.size() - 2);
}

std::optional<int> numberAt(std::string_view text) {
  int number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || number < 0) return std::nullopt;
  return number;
}

}  // namespace

std::optional<ColumnType> columnTypeOf(std::string_view name) {
  for (const PlainType& plain : kPlainTypes) {
    if (plain.name == name) return plain.type;
  }
  if (const auto inner = argumentOf(name, "LowCardinality")) return columnTypeOf(*inner);
  if (const auto inner = argumentOf(name, "Nullable")) {
    std::optional<ColumnType> type = columnTypeOf(*inner);
    if (!type || type->nullable || type->kind == TypeKind::kTexts) return std::nullopt;
    type->nullable = true;
    return type;
  }
  if (const auto inner = argumentOf(name, "Array")) {
    const std::optional<ColumnType> item = columnTypeOf(*inner);
    const bool is_empty = item && item->kind == TypeKind::kNothing;
    if (!item || item->bytes != 0 || item->kind != TypeKind::kText) {
      if (!is_empty) return std::nullopt;
    }
    ColumnType type{TypeKind::kTexts};
    type.nullable_items = item->nullable;
    return type;
  }
  if (const auto inner = argumentOf(name, "FixedString")) {
    const std::optional<int> bytes = numberAt(*inner);
    if (!bytes || *bytes == 0) return std::nullopt;
    return ColumnType{TypeKind::kText, false, *bytes};
  }
  if (argumentOf(name, "DateTime")) return ColumnType{TypeKind::kTime, false, 4};
  if (const auto inner = argumentOf(name, "DateTime64")) {
    const std::optional<int> digits = numberAt(*inner);
    if (!digits || *digits > 9) return std::nullopt;
    ColumnType type{TypeKind::kTime, false, 8, true};
    type.fraction_digits = *digits;
    return type;
  }
  return std::nullopt;
}

}  // namespace spindle::clickhouse
