#include "agents/span_row_store.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "agents/span_json.h"
#include "columnar/snapshot.h"

namespace spindle::agents {
namespace {

using columnar::ColumnType;
using columnar::Value;

struct TypeOf {
  ColumnType operator()(std::string AgentSpan::* /*member*/) const { return ColumnType::kText; }
  ColumnType operator()(std::int64_t AgentSpan::* /*member*/) const { return ColumnType::kInteger; }
  ColumnType operator()(std::optional<std::int64_t> AgentSpan::* /*member*/) const {
    return ColumnType::kInteger;
  }
  ColumnType operator()(double AgentSpan::* /*member*/) const { return ColumnType::kReal; }
  ColumnType operator()(Timestamp AgentSpan::* /*member*/) const { return ColumnType::kTime; }
  ColumnType operator()(std::optional<Timestamp> AgentSpan::* /*member*/) const {
    return ColumnType::kTime;
  }
  ColumnType operator()(std::vector<std::string> AgentSpan::* /*member*/) const {
    return ColumnType::kTexts;
  }
  ColumnType operator()(std::vector<SpanMessage> AgentSpan::* /*member*/) const {
    return ColumnType::kText;
  }
};

/// Takes a member out of the span. Empty lists are stored as null: most spans have none.
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
  const columnar::Cursor& cursor;
  std::size_t position;

  void operator()(std::string AgentSpan::*member) const { span.*member = cursor.text(position); }
  void operator()(std::int64_t AgentSpan::*member) const {
    span.*member = cursor.integer(position);
  }
  void operator()(std::optional<std::int64_t> AgentSpan::*member) const {
    span.*member = cursor.integer(position);
  }
  void operator()(double AgentSpan::*member) const { span.*member = cursor.real(position); }
  void operator()(Timestamp AgentSpan::*member) const { span.*member = cursor.time(position); }
  void operator()(std::optional<Timestamp> AgentSpan::*member) const {
    span.*member = cursor.time(position);
  }
  void operator()(std::vector<std::string> AgentSpan::*member) const {
    span.*member = cursor.texts(position);
  }
  void operator()(std::vector<SpanMessage> AgentSpan::*member) const {
    span.*member = parseMessages(std::string(cursor.text(position)));
  }
};

/// An absent map costs nothing to skip; JSON of an empty one would have to be read.
Value mapValue(bool empty, std::string json) { return empty ? Value() : Value(std::move(json)); }

/// Columns before those of kSpanColumns: the key, the number, the maps.
constexpr std::size_t kFirstColumn = 2 + kCustomTypes.size();
constexpr std::size_t kTraceHash = 1;

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
    if (column.name == "started_at") family.order = family.columns.size();
    family.columns.push_back({column.name, std::visit(TypeOf{}, column.member)});
  }
  return family;
}

std::string spanKey(const AgentSpan& span) { return span.trace_id + ":" + span.span_id; }

std::size_t turnColumn() {
  static const auto kColumn =
      static_cast<std::size_t>(findSpanColumn("turn_number") - kSpanColumns.data());
  return kFirstColumn + kColumn;
}

std::int64_t traceHash(std::string_view trace_id) {
  // FNV-1a. 24 bits pack well, and of five million traces one in three shares its number.
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : trace_id) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return static_cast<std::int64_t>((hash ^ (hash >> 32U)) & 0xFFFFFFU);
}

query::Sql oneOfTraces(const std::vector<std::string>& trace_ids) {
  // The number is compared first: it is read many times faster than the text.
  if (trace_ids.size() == 1) {
    query::Sql one("c.trace_hash = " + std::to_string(traceHash(trace_ids.front())));
    return one.add(" AND c.trace_id = ").param(trace_ids.front());
  }
  std::string hashes;
  query::Sql ids;
  for (const std::string& id : trace_ids) {
    hashes += (hashes.empty() ? "" : ", ") + std::to_string(traceHash(id));
    ids.add(ids.text.empty() ? "" : ", ").param(id);
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

std::size_t storedBytes(const AgentSpan& span) {
  constexpr std::size_t kOverhead = 1024;
  constexpr std::size_t kEntry = 64;
  std::size_t bytes = kOverhead + span.raw_span_dump.size() + span.tool_definitions.size() +
                      span.tool_call_arguments.size() + span.tool_call_result.size() +
                      span.reasoning_content.size() + span.compaction_summary.size();
  for (const SpanMessage& message : span.input_messages) bytes += kEntry + message.content.size();
  for (const SpanMessage& message : span.output_messages) bytes += kEntry + message.content.size();
  for (const std::string& text : span.system_instructions) bytes += text.size();
  for (const auto& [key, value] : span.custom.strings) bytes += key.size() + value.size();
  bytes += kEntry *
           (span.custom.integers.size() + span.custom.reals.size() + span.custom.booleans.size());
  return bytes;
}

std::string columnList(const std::vector<const SpanColumn*>& columns) {
  std::string list;
  for (const SpanColumn* column : columns)
    list.append(list.empty() ? "c." : ", c.").append(column->name);
  return list;
}

AgentSpan readSpan(const columnar::Cursor& cursor, const std::vector<const SpanColumn*>& columns) {
  AgentSpan span;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!cursor.isNull(i)) std::visit(Fill{span, cursor, i}, columns[i]->member);
  }
  return span;
}

}  // namespace spindle::agents
