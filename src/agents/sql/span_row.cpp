#include "agents/sql/span_row.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "agents/store/span_json.h"

namespace spindle::agents {
namespace {

using columnar::ColumnType;
using columnar::Value;

constexpr ByMember<ColumnType> kTypes = {.text = ColumnType::kText,
                                         .integer = ColumnType::kInteger,
                                         .real = ColumnType::kReal,
                                         .time = ColumnType::kTime,
                                         .texts = ColumnType::kTexts};

/// Moves a member out of the span. Empty lists are stored as null, because most spans have none.
struct Take {
  AgentSpan& span;

  Value operator()(std::string AgentSpan::*member) const { return std::move(span.*member); }
  Value operator()(std::int64_t AgentSpan::*member) const { return span.*member; }
  Value operator()(double AgentSpan::*member) const { return span.*member; }
  Value operator()(Timestamp AgentSpan::*member) const { return span.*member; }
  template <class T>
  Value operator()(std::optional<T> AgentSpan::*member) const {
    return span.*member ? Value(*(span.*member)) : Value();
  }
  Value operator()(std::vector<std::string> AgentSpan::*member) const {
    return (span.*member).empty() ? Value() : Value(std::move(span.*member));
  }
  Value operator()(std::vector<SpanMessage> AgentSpan::*member) const {
    return (span.*member).empty() ? Value() : Value(messagesJson(span.*member));
  }
};

struct Fill {
  AgentSpan& span;
  const ResultRow& row;
  std::size_t position;

  void operator()(std::string AgentSpan::*member) const { span.*member = row.text(position); }
  void operator()(std::int64_t AgentSpan::*member) const { span.*member = row.integer(position); }
  void operator()(std::optional<std::int64_t> AgentSpan::*member) const {
    span.*member = row.integer(position);
  }
  void operator()(double AgentSpan::*member) const { span.*member = row.real(position); }
  void operator()(Timestamp AgentSpan::*member) const { span.*member = row.time(position); }
  void operator()(std::optional<Timestamp> AgentSpan::*member) const {
    span.*member = row.time(position);
  }
  void operator()(std::vector<std::string> AgentSpan::*member) const {
    span.*member = row.texts(position);
  }
  void operator()(std::vector<SpanMessage> AgentSpan::*member) const {
    span.*member = parseMessages(std::string(row.text(position)));
  }
};

/// Returns null for an empty map: null costs nothing to skip, but empty JSON would be parsed.
Value mapValue(bool empty, std::string json) { return empty ? Value() : Value(std::move(json)); }

/// Number of columns before kSpanColumns: the key, the trace hash, the maps.
constexpr std::size_t kFirstColumn = 2 + kCustomTypes.size();
constexpr std::size_t kTraceHash = 1;

/// Returns the key of a span: its trace id and span id. A span that is sent again replaces the old
/// one, even with another start.
std::string spanKey(const AgentSpan& span) { return span.trace_id + ":" + span.span_id; }

std::int64_t keyNumber(std::string_view key) { return traceHash(key.substr(0, key.find(':'))); }

}  // namespace

columnar::Family spanFamily() {
  columnar::Family family;
  family.name = "spans";
  family.columns = {{"id", ColumnType::kText}, {"trace_hash", ColumnType::kInteger}};
  family.key_number = columnar::KeyNumber{kTraceHash, keyNumber};
  for (const CustomType type : kCustomTypes)
    family.columns.push_back({columnOf(type), ColumnType::kText});
  for (const SpanColumn& column : kSpanColumns) {
    if (column.name.text() == "started_at") family.order = family.columns.size();
    family.columns.push_back({column.name, std::visit(kTypes, column.member)});
  }
  return family;
}

std::size_t turnColumn() {
  static const auto column =
      static_cast<std::size_t>(findSpanColumn("turn_number") - kSpanColumns.data());
  return kFirstColumn + column;
}

std::int64_t traceHash(std::string_view trace_id) {
  // FNV-1a. 24 bits compress well; among five million traces, one in three shares its hash.
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : trace_id) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return static_cast<std::int64_t>((hash ^ (hash >> 32U)) & 0xFFFFFFU);
}

query::Sql haveTraces(const std::vector<std::string>& trace_ids) {
  // The hash is compared first: it is read many times faster than the text.
  if (trace_ids.size() == 1) {
    query::Sql one("c.trace_hash = " + SqlText::number(traceHash(trace_ids.front())));
    return one.add(" AND c.trace_id = ").param(trace_ids.front());
  }
  SqlText hashes;
  query::Sql ids;
  for (const std::string& id : trace_ids) {
    if (!hashes.empty()) hashes += ", ";
    hashes += SqlText::number(traceHash(id));
    ids.add(ids.text.empty() ? SqlView("") : SqlView(", ")).param(id);
  }
  query::Sql any("c.trace_hash IN (" + hashes + ") AND c.trace_id IN (");
  return any.add(ids).add(")");
}

columnar::Row rowOf(AgentSpan span) {
  columnar::Row row;
  row.reserve(kFirstColumn + kSpanColumns.size());
  row.emplace_back(spanKey(span));
  row.emplace_back(traceHash(span.trace_id));
  row.push_back(mapValue(span.custom.strings.empty(), stringsJson(span.custom)));
  row.push_back(mapValue(span.custom.integers.empty(), integersJson(span.custom)));
  row.push_back(mapValue(span.custom.reals.empty(), realsJson(span.custom)));
  row.push_back(mapValue(span.custom.booleans.empty(), booleansJson(span.custom)));
  for (const SpanColumn& column : kSpanColumns)
    row.push_back(std::visit(Take{span}, column.member));
  return row;
}

SqlText columnList(const std::vector<const SpanColumn*>& columns) {
  SqlText list;
  for (const SpanColumn* column : columns)
    list.add(list.empty() ? SqlView("c.") : SqlView(", c.")).add(column->name);
  return list;
}

AgentSpan readSpan(const ResultRow& row, const std::vector<const SpanColumn*>& columns) {
  AgentSpan span;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!row.isNull(i)) std::visit(Fill{span, row, i}, columns[i]->member);
  }
  return span;
}

}  // namespace spindle::agents
