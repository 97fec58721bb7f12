#include "agents/store/span_row.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "agents/store/span_json.h"
#include "columnar/store/snapshot.h"

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

/// Size of a JSON entry without its texts: member names, a number, punctuation.
constexpr std::size_t kEntryBytes = 64;
/// Size of a number or a time, with its tag.
constexpr std::size_t kNumberBytes = 11;
constexpr std::size_t kZeroBytes = 2;

/// Returns the size of a text in the journal: its tag, its length, the text.
std::size_t textBytes(std::size_t size) {
  constexpr std::size_t kLongest = 10;  // bytes of the longest length
  return size + (size < 128 ? kZeroBytes : kLongest + 1);
}

/// Returns an upper bound of the size of the text as a JSON string.
std::size_t quotedBytes(std::string_view text) {
  std::size_t bytes = 2;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool control = byte < 0x20 || byte == 0x7F;
    bytes += control ? 6 : c == '"' || c == '\\' ? 2 : 1;
  }
  return bytes;
}

/// Returns an upper bound of the size of a column's value in the journal.
struct MaxBytes {
  const AgentSpan& span;

  std::size_t operator()(std::string AgentSpan::*member) const {
    return textBytes((span.*member).size());
  }
  std::size_t operator()(std::int64_t AgentSpan::*member) const {
    return span.*member == 0 ? kZeroBytes : kNumberBytes;
  }
  template <class T>
  std::size_t operator()(T AgentSpan::* /*member*/) const {
    return kNumberBytes;
  }
  std::size_t operator()(std::vector<std::string> AgentSpan::*member) const {
    if ((span.*member).empty()) return kZeroBytes;
    std::size_t bytes = kNumberBytes;
    for (const std::string& text : span.*member) bytes += textBytes(text.size());
    return bytes;
  }
  std::size_t operator()(std::vector<SpanMessage> AgentSpan::*member) const {
    if ((span.*member).empty()) return kZeroBytes;
    std::size_t bytes = kNumberBytes;
    for (const SpanMessage& message : span.*member) {
      bytes += kEntryBytes + quotedBytes(message.role) + quotedBytes(message.content) +
               quotedBytes(message.finish_reason);
    }
    return bytes;
  }
};

/// Returns null for an empty map: null costs nothing to skip, but empty JSON would be parsed.
Value mapValue(bool empty, std::string json) { return empty ? Value() : Value(std::move(json)); }

/// Number of columns before kSpanColumns: the key, the trace hash, the maps.
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
    if (column.name.text() == "started_at") family.order = family.columns.size();
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
  // FNV-1a. 24 bits compress well; among five million traces, one in three shares its hash.
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : trace_id) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return static_cast<std::int64_t>((hash ^ (hash >> 32U)) & 0xFFFFFFU);
}

query::Sql oneOfTraces(const std::vector<std::string>& trace_ids) {
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

std::size_t storedBytes(const AgentSpan& span) {
  constexpr std::size_t kOverhead = 128;  // the record, the maps and the trace hash
  std::size_t bytes = kOverhead + spanKey(span).size();
  for (const SpanColumn& column : kSpanColumns) bytes += std::visit(MaxBytes{span}, column.member);
  for (const auto& [key, value] : span.custom.strings)
    bytes += kEntryBytes + quotedBytes(key) + quotedBytes(value);
  for (const auto& [key, value] : span.custom.integers) bytes += kEntryBytes + quotedBytes(key);
  for (const auto& [key, value] : span.custom.reals) bytes += kEntryBytes + quotedBytes(key);
  for (const auto& [key, value] : span.custom.booleans) bytes += kEntryBytes + quotedBytes(key);
  return bytes;
}

SqlText columnList(const std::vector<const SpanColumn*>& columns) {
  SqlText list;
  for (const SpanColumn* column : columns)
    list.add(list.empty() ? SqlView("c.") : SqlView(", c.")).add(column->name);
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
