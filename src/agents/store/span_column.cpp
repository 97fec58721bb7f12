#include "agents/store/span_column.h"

#include <algorithm>
#include <unordered_map>

#include "agents/store/conventions.h"
#include "wire/spelling.h"

namespace spindle::agents {
namespace {

constexpr auto kPrefixes = std::to_array<std::string_view>({"svc.", "gen_ai."});

std::string_view withoutPrefix(std::string_view name) {
  for (const std::string_view prefix : kPrefixes) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return name;
}

using ByAttribute = std::unordered_map<std::string_view, const SpanColumn*>;

/// Returns the columns by the attributes that fill them, without prefixes.
ByAttribute columnsByAttribute() {
  ByAttribute columns;
  const auto add = [&columns](const SpanMember& member, const Keys& keys) {
    const auto* const column = std::ranges::find(kSpanColumns, member, &SpanColumn::member);
    for (const std::string_view key : keys) columns.emplace(withoutPrefix(key), column);
  };
  const Conventions& known = conventions();
  for (const auto& rule : known.texts) add(rule.column, rule.keys);
  for (const auto& rule : known.json_texts) add(rule.column, rule.keys);
  for (const auto& rule : known.counts) add(rule.column, rule.keys);
  for (const auto& rule : known.reals) add(rule.column, rule.keys);
  add(&AgentSpan::operation_name, known.operation_name);
  add(&AgentSpan::provider_name, known.provider_name);
  add(&AgentSpan::error_type, known.error_type);
  add(&AgentSpan::eval_trial_index, known.trial_index);
  add(&AgentSpan::reasoning_content, known.reasoning_content);
  return columns;
}

const SpanColumn* findFor(SpanUse use, std::string_view name) {
  static const ByAttribute by_attribute = columnsByAttribute();
  const auto found = by_attribute.find(withoutPrefix(customKey(name)));
  if (found != by_attribute.end() && found->second->is(use)) return found->second;
  const SpanColumn* column = findSpanColumn(name);
  return column != nullptr && column->is(use) ? column : nullptr;
}

}  // namespace

const SpanColumn* findQueryColumn(std::string_view name) { return findFor(kQueried, name); }
const SpanColumn* findGroupColumn(std::string_view name) { return findFor(kGrouped, name); }

const SpanColumn* findSpanColumn(std::string_view name) {
  const std::string neutral = wire::neutralField(name);
  const auto* const found =
      std::find_if(kSpanColumns.begin(), kSpanColumns.end(),
                   [&neutral](const SpanColumn& column) { return column.name.text() == neutral; });
  return found == kSpanColumns.end() ? nullptr : found;
}

std::string customKey(std::string_view key) {
  return wire::neutralAttribute(key).value_or(std::string(key));
}

std::vector<const SpanColumn*> spanColumnsFor(unsigned uses) {
  std::vector<const SpanColumn*> columns;
  for (const SpanColumn& column : kSpanColumns) {
    if ((column.uses & uses) != 0) columns.push_back(&column);
  }
  return columns;
}

SqlName columnOf(CustomType type) {
  constexpr auto kColumns = std::to_array<SqlName>(
      {"custom_attrs_string", "custom_attrs_int", "custom_attrs_float", "custom_attrs_bool"});
  return kColumns.at(static_cast<std::size_t>(type));
}

std::optional<CustomType> customTypeOf(std::string_view column) {
  for (const CustomType type : kCustomTypes) {
    if (columnOf(type).text() == column) return type;
  }
  return std::nullopt;
}

}  // namespace spindle::agents
