#include "tracing/store/call_row.h"

#include <array>
#include <utility>

#include "columnar/store/snapshot.h"

namespace spindle::tracing {
namespace {

using columnar::ColumnType;
using columnar::Value;

constexpr std::array<columnar::Column, kCallColumns> kCallFamilyColumns = {{
    {"id", ColumnType::kText},
    {"presence", ColumnType::kInteger},
    {"trace_id", ColumnType::kText},
    {"parent_id", ColumnType::kText},
    {"thread_id", ColumnType::kText},
    {"turn_id", ColumnType::kText},
    {"op_name", ColumnType::kText},
    {"display_name", ColumnType::kText},
    {"started_at", ColumnType::kTime},
    {"ended_at", ColumnType::kTime},
    {"exception", ColumnType::kText},
    {"attributes", ColumnType::kText},
    {"inputs", ColumnType::kText},
    {"output", ColumnType::kText},
    {"summary", ColumnType::kText},
    {"otel_dump", ColumnType::kText},
    {"user_id", ColumnType::kText},
    {"run_id", ColumnType::kText},
    {"run_step", ColumnType::kInteger},
    {"run_step_end", ColumnType::kInteger},
    {"expire_at", ColumnType::kTime},
    {"input_refs", ColumnType::kTexts},
    {"output_refs", ColumnType::kTexts},
    {"start_bytes", ColumnType::kInteger},
    {"output_bytes", ColumnType::kInteger},
    {"summary_bytes", ColumnType::kInteger},
    {"descendant_errors", ColumnType::kInteger},
    {"otel_resource", ColumnType::kText},
}};

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

/// Copies the value of one column from a typed source to the call.
template <class Source>
void fill(Call& call, CallColumn column, const Source& source) {
  switch (column) {
    case CallColumn::kId:
      call.id = source.text();
      break;
    case CallColumn::kPresence:
      call.presence = static_cast<Presence>(source.integer());
      break;
    case CallColumn::kTraceId:
      call.trace_id = source.text();
      break;
    case CallColumn::kParentId:
      call.parent_id = source.text();
      break;
    case CallColumn::kThreadId:
      call.thread_id = source.text();
      break;
    case CallColumn::kTurnId:
      call.turn_id = source.text();
      break;
    case CallColumn::kOpName:
      call.op_name = source.text();
      break;
    case CallColumn::kDisplayName:
      call.display_name = source.text();
      break;
    case CallColumn::kStartedAt:
      call.started_at = source.time();
      break;
    case CallColumn::kEndedAt:
      call.ended_at = source.time();
      break;
    case CallColumn::kException:
      call.exception = source.text();
      break;
    case CallColumn::kAttributes:
      call.attributes = source.text();
      break;
    case CallColumn::kInputs:
      call.inputs = source.text();
      break;
    case CallColumn::kOutput:
      call.output = source.text();
      break;
    case CallColumn::kSummary:
      call.summary = source.text();
      break;
    case CallColumn::kOtelDump:
      call.otel_dump = source.text();
      break;
    case CallColumn::kUserId:
      call.user_id = source.text();
      break;
    case CallColumn::kRunId:
      call.run_id = source.text();
      break;
    case CallColumn::kRunStep:
      call.run_step = source.integer();
      break;
    case CallColumn::kRunStepEnd:
      call.run_step_end = source.integer();
      break;
    case CallColumn::kExpireAt:
      call.expire_at = source.time();
      break;
    case CallColumn::kInputRefs:
      call.input_refs = source.texts();
      break;
    case CallColumn::kOutputRefs:
      call.output_refs = source.texts();
      break;
    case CallColumn::kStartBytes:
      call.start_bytes = source.integer();
      break;
    case CallColumn::kOutputBytes:
      call.output_bytes = source.integer();
      break;
    case CallColumn::kSummaryBytes:
      call.summary_bytes = source.integer();
      break;
    case CallColumn::kDescendantErrors:
      call.descendant_errors = source.integer();
      break;
    case CallColumn::kOtelResource:
      call.otel_resource = source.text();
      break;
  }
}

struct FromValue {
  const Value& value;
  const std::string& text() const { return std::get<std::string>(value); }
  std::int64_t integer() const { return std::get<std::int64_t>(value); }
  Timestamp time() const { return std::get<Timestamp>(value); }
  const std::vector<std::string>& texts() const {
    return std::get<std::vector<std::string>>(value);
  }
};

struct FromCursor {
  const columnar::Cursor& cursor;
  std::size_t position;
  std::string text() const { return std::string(cursor.text(position)); }
  std::int64_t integer() const { return cursor.integer(position); }
  Timestamp time() const { return cursor.time(position); }
  std::vector<std::string> texts() const { return cursor.texts(position); }
};

}  // namespace

columnar::Family callFamily() {
  columnar::Family family;
  family.name = "calls";
  family.columns.assign(kCallFamilyColumns.begin(), kCallFamilyColumns.end());
  family.key = static_cast<std::size_t>(CallColumn::kId);
  family.order = static_cast<std::size_t>(CallColumn::kStartedAt);
  family.key_order = columnar::kUuid7Order;
  return family;
}

SqlName nameOf(CallColumn column) {
  return kCallFamilyColumns.at(static_cast<std::size_t>(column)).name;
}

columnar::Row rowOf(Call call) {
  columnar::Row row;
  row.reserve(kCallColumns);
  row.emplace_back(std::move(call.id));
  row.emplace_back(static_cast<std::int64_t>(call.presence));
  row.push_back(columnValueOf(std::move(call.trace_id)));
  row.push_back(columnValueOf(std::move(call.parent_id)));
  row.push_back(columnValueOf(std::move(call.thread_id)));
  row.push_back(columnValueOf(std::move(call.turn_id)));
  row.push_back(columnValueOf(std::move(call.op_name)));
  row.push_back(columnValueOf(std::move(call.display_name)));
  row.push_back(columnValueOf(call.started_at));
  row.push_back(columnValueOf(call.ended_at));
  row.push_back(columnValueOf(std::move(call.exception)));
  row.push_back(columnValueOf(std::move(call.attributes)));
  row.push_back(columnValueOf(std::move(call.inputs)));
  row.push_back(columnValueOf(std::move(call.output)));
  row.push_back(columnValueOf(std::move(call.summary)));
  row.push_back(columnValueOf(std::move(call.otel_dump)));
  row.push_back(columnValueOf(std::move(call.user_id)));
  row.push_back(columnValueOf(std::move(call.run_id)));
  row.push_back(columnValueOf(call.run_step));
  row.push_back(columnValueOf(call.run_step_end));
  row.push_back(columnValueOf(call.expire_at));
  row.push_back(columnValueOf(std::move(call.input_refs)));
  row.push_back(columnValueOf(std::move(call.output_refs)));
  row.emplace_back(call.start_bytes);
  row.emplace_back(call.output_bytes);
  row.emplace_back(call.summary_bytes);
  row.emplace_back(call.descendant_errors);
  row.push_back(columnValueOf(std::move(call.otel_resource)));
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

Call readCall(const columnar::Cursor& cursor, const std::vector<CallColumn>& columns) {
  Call call;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!cursor.isNull(i)) fill(call, columns[i], FromCursor{cursor, i});
  }
  return call;
}

}  // namespace spindle::tracing
