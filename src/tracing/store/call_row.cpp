#include "tracing/store/call_row.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "clickhouse/client/cursor.h"
#include "columnar/store/snapshot.h"
#include "tracing/store/call_fields.h"

namespace spindle::tracing {
namespace {

using columnar::ColumnType;
using columnar::Value;

/// A column and the member of a call that holds its value.
struct CallMember {
  using Text = std::string Call::*;
  using OptionalText = std::optional<std::string> Call::*;
  using Texts = std::vector<std::string> Call::*;
  using Time = std::optional<Timestamp> Call::*;
  using Number = std::int64_t Call::*;
  using OptionalNumber = std::optional<std::int64_t> Call::*;
  using OptionalReal = std::optional<double> Call::*;

  SqlName name;
  std::variant<Text,
               OptionalText,
               Texts,
               Time,
               Number,
               OptionalNumber,
               OptionalReal,
               Presence Call::*>
      member;
};

/// Columns in the order of CallColumn.
constexpr std::array<CallMember, kCallColumns> kCallMembers = {{
    {"id", &Call::id},
    {"presence", &Call::presence},
    {"trace_id", &Call::trace_id},
    {"parent_id", &Call::parent_id},
    {"thread_id", &Call::thread_id},
    {"turn_id", &Call::turn_id},
    {"op_name", &Call::op_name},
    {"display_name", &Call::display_name},
    {"started_at", &Call::started_at},
    {"ended_at", &Call::ended_at},
    {"exception", &Call::exception},
    {"attributes", &Call::attributes},
    {"inputs", &Call::inputs},
    {"output", &Call::output},
    {"summary", &Call::summary},
    {"otel_dump", &Call::otel_dump},
    {"user_id", &Call::user_id},
    {"run_id", &Call::run_id},
    {"run_step", &Call::run_step},
    {"run_step_end", &Call::run_step_end},
    {"expire_at", &Call::expire_at},
    {"input_refs", &Call::input_refs},
    {"output_refs", &Call::output_refs},
    {"start_bytes", &Call::start_bytes},
    {"output_bytes", &Call::output_bytes},
    {"summary_bytes", &Call::summary_bytes},
    {"descendant_errors", &Call::descendant_errors},
    {"otel_resource", &Call::otel_resource},
    {"usage_models", &Call::usage_models},
    {"usage_model", &Call::usage_model},
    {"usage_input", &Call::usage_input},
    {"usage_output", &Call::usage_output},
    {"usage_total", &Call::usage_total},
    {"usage_cache_read", &Call::usage_cache_read},
    {"usage_cache_creation", &Call::usage_cache_creation},
}};

ColumnType typeOf(const CallMember& column) {
  if (std::holds_alternative<CallMember::Time>(column.member)) return ColumnType::kTime;
  if (std::holds_alternative<CallMember::Texts>(column.member)) return ColumnType::kTexts;
  if (std::holds_alternative<CallMember::OptionalReal>(column.member)) return ColumnType::kReal;
  const bool text = std::holds_alternative<CallMember::Text>(column.member) ||
                    std::holds_alternative<CallMember::OptionalText>(column.member);
  return text ? ColumnType::kText : ColumnType::kInteger;
}

template <class T>
Value columnValueOf(std::optional<T> maybe) {
  return maybe ? Value(*std::move(maybe)) : Value();
}

/// Stores empty lists as null, because most calls have no references.
Value columnValueOf(std::vector<std::string> texts) {
  return texts.empty() ? Value() : Value(std::move(texts));
}

/// Stores empty strings of a call whose start is missing as null.
Value columnValueOf(std::string text) { return text.empty() ? Value() : Value(std::move(text)); }

Value columnValueOf(std::int64_t number) { return number; }
Value columnValueOf(Presence presence) { return static_cast<std::int64_t>(presence); }

/// Copies the value of a typed source to a member of a call.
template <class Source, class Member>
void readInto(const Source& source, Member& out) {
  constexpr bool kText =
      std::is_same_v<Member, std::string> || std::is_same_v<Member, std::optional<std::string>>;
  if constexpr (kText) {
    out = source.text();
  } else if constexpr (std::is_same_v<Member, std::vector<std::string>>) {
    out = source.texts();
  } else if constexpr (std::is_same_v<Member, std::optional<Timestamp>>) {
    out = source.time();
  } else if constexpr (std::is_same_v<Member, std::optional<double>>) {
    out = source.real();
  } else {
    out = static_cast<Member>(source.integer());
  }
}

/// Copies the value of one column from a typed source to the call.
template <class Source>
void fill(Call& call, CallColumn column, const Source& source) {
  std::visit([&](auto member) { readInto(source, call.*member); },
             kCallMembers.at(static_cast<std::size_t>(column)).member);
}

struct FromValue {
  const Value& value;
  const std::string& text() const { return std::get<std::string>(value); }
  std::int64_t integer() const { return std::get<std::int64_t>(value); }
  double real() const { return std::get<double>(value); }
  Timestamp time() const { return std::get<Timestamp>(value); }
  const std::vector<std::string>& texts() const {
    return std::get<std::vector<std::string>>(value);
  }
};

/// `Cursor` is that of DuckDB or of ClickHouse.
template <class Cursor>
struct FromCursor {
  const Cursor& cursor;
  std::size_t position;
  std::string text() const { return std::string(cursor.text(position)); }
  std::int64_t integer() const { return cursor.integer(position); }
  double real() const { return cursor.real(position); }
  Timestamp time() const { return cursor.time(position); }
  std::vector<std::string> texts() const { return cursor.texts(position); }
};

using PreviewSize = std::int64_t CallPreview::*;

/// Returns the member for the size of a column that the projection cuts; null for other columns.
PreviewSize sizeMember(const CallProjection& projection, CallColumn column) {
  if (!projection.preview_characters) return nullptr;
  switch (column) {
    case CallColumn::kException:
      return &CallPreview::exception_bytes;
    case CallColumn::kAttributes:
      return &CallPreview::attributes_bytes;
    case CallColumn::kInputs:
      return &CallPreview::inputs_bytes;
    case CallColumn::kOutput:
      return &CallPreview::output_bytes;
    case CallColumn::kSummary:
      return &CallPreview::summary_bytes;
    default:
      return nullptr;
  }
}

bool readsUsage(const CallProjection& projection) {
  return projection.preview_characters &&
         std::find(projection.columns.begin(), projection.columns.end(), CallColumn::kSummary) !=
             projection.columns.end();
}

template <class Cursor>
Call readCallAt(const Cursor& cursor, const CallProjection& projection) {
  Call call;
  for (std::size_t i = 0; i < projection.columns.size(); ++i) {
    if (!cursor.isNull(i)) fill(call, projection.columns[i], FromCursor<Cursor>{cursor, i});
  }
  if (!projection.preview_characters) return call;
  CallPreview& preview = call.preview.emplace();
  std::size_t at = projection.columns.size();
  for (const CallColumn column : projection.columns) {
    const PreviewSize size = sizeMember(projection, column);
    if (size == nullptr) continue;
    if (!cursor.isNull(at)) preview.*size = cursor.integer(at);
    ++at;
  }
  if (readsUsage(projection) && !cursor.isNull(at)) preview.usage = std::string(cursor.text(at));
  return call;
}

}  // namespace

columnar::Family callFamily() {
  columnar::Family family;
  family.name = "calls";
  for (const CallMember& column : kCallMembers) {
    family.columns.push_back({column.name, typeOf(column)});
  }
  family.key = static_cast<std::size_t>(CallColumn::kId);
  family.order = static_cast<std::size_t>(CallColumn::kStartedAt);
  family.key_order = columnar::kUuid7Order;
  return family;
}

SqlName nameOf(CallColumn column) { return kCallMembers.at(static_cast<std::size_t>(column)).name; }

columnar::Row rowOf(Call call) {
  columnar::Row row;
  row.reserve(kCallColumns);
  row.emplace_back(std::move(call.id));
  for (std::size_t i = 1; i < kCallMembers.size(); ++i) {
    row.push_back(
        std::visit([&call](auto member) { return columnValueOf(std::move(call.*member)); },
                   kCallMembers[i].member));
  }
  return row;
}

Call callOf(const columnar::Row& row) {
  Call call;
  for (std::size_t i = 0; i < kCallColumns && i < row.size(); ++i) {
    if (!std::holds_alternative<std::monostate>(row[i]))
      fill(call, static_cast<CallColumn>(i), FromValue{row[i]});
  }
  return call;
}

SqlText selectList(const CallProjection& projection, const query::Dialect& dialect) {
  using query::Sql;
  SqlText list;
  const auto value = [](CallColumn column) { return Sql("c." + SqlText(nameOf(column))); };
  for (const CallColumn column : projection.columns) {
    if (!list.empty()) list += ", ";
    const Sql whole = value(column);
    list += sizeMember(projection, column) == nullptr
                ? whole.text
                : dialect.beginning(whole, *projection.preview_characters).text;
  }
  for (const CallColumn column : projection.columns) {
    if (sizeMember(projection, column) == nullptr) continue;
    list += ", " + dialect.bytes(value(column)).text;
  }
  if (readsUsage(projection)) {
    list += ", CASE WHEN " + dialect.bytes(Sql("c.summary")).text + " > " +
            SqlText::number(*projection.preview_characters) + " THEN " + usageSql(dialect) + " END";
  }
  return list;
}

std::size_t selectedColumns(const CallProjection& projection) {
  const auto sizes =
      std::count_if(projection.columns.begin(), projection.columns.end(),
                    [&](CallColumn column) { return sizeMember(projection, column) != nullptr; });
  return projection.columns.size() + static_cast<std::size_t>(sizes) +
         (readsUsage(projection) ? 1 : 0);
}

Call readCall(const columnar::Cursor& cursor, const CallProjection& projection) {
  return readCallAt(cursor, projection);
}

Call readCall(const clickhouse::Cursor& cursor, const CallProjection& projection) {
  return readCallAt(cursor, projection);
}

}  // namespace spindle::tracing
