#include "feedback/store/feedback_row.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "columnar/store/snapshot.h"

namespace spindle::feedback {
namespace {

using columnar::Cursor, columnar::Value;

using Text = std::string Feedback::*;
using OptionalText = std::optional<std::string> Feedback::*;
using Texts = std::vector<std::string> Feedback::*;
using Time = Timestamp Feedback::*;

struct FeedbackColumn {
  SqlName name;
  std::variant<Text, OptionalText, Texts, Time> member;
};

/// Columns in the order of feedbackFamily(). Append new ones at the end only.
constexpr std::array<FeedbackColumn, kFeedbackColumnCount> kColumns = {{
    {"id", &Feedback::id},
    {"created_at", &Feedback::created_at},
    {"target_kind", &Feedback::target_kind},
    {"target_id", &Feedback::target_id},
    {"svc_ref", &Feedback::svc_ref},
    {"svc_user_id", &Feedback::svc_user_id},
    {"creator", &Feedback::creator},
    {"feedback_type", &Feedback::feedback_type},
    {"payload", &Feedback::payload},
    {"annotation_ref", &Feedback::annotation_ref},
    {"runnable_ref", &Feedback::runnable_ref},
    {"call_ref", &Feedback::call_ref},
    {"trigger_ref", &Feedback::trigger_ref},
    {"queue_id", &Feedback::queue_id},
    {"scorer_tags", &Feedback::scorer_tags},
    {"scorer_tag_reasons", &Feedback::scorer_tag_reasons},
    {"scorer_tag_confidences", &Feedback::scorer_tag_confidences},
    {"scorer_ratings", &Feedback::scorer_ratings},
    {"scorer_rating_reasons", &Feedback::scorer_rating_reasons},
    {"scorer_rating_confidences", &Feedback::scorer_rating_confidences},
    {"span_agent_name", &Feedback::span_agent_name},
    {"span_agent_version", &Feedback::span_agent_version},
    {"span_status_code", &Feedback::span_status_code},
    {"span_conversation_id", &Feedback::span_conversation_id},
    {"span_trace_id", &Feedback::span_trace_id},
    {"scorer_trace_id", &Feedback::scorer_trace_id},
}};

columnar::ColumnType typeOf(const FeedbackColumn& column) {
  if (std::holds_alternative<Time>(column.member)) return columnar::ColumnType::kTime;
  if (std::holds_alternative<Texts>(column.member)) return columnar::ColumnType::kTexts;
  return columnar::ColumnType::kText;
}

template <class T>
Value valueOf(T value) {
  return Value(std::move(value));
}
Value valueOf(std::optional<std::string> text) { return text ? Value(*std::move(text)) : Value(); }

void read(const Cursor& row, std::size_t column, std::string& out) { out = row.text(column); }
void read(const Cursor& row, std::size_t column, std::optional<std::string>& out) {
  if (!row.isNull(column)) out = row.text(column);
}
void read(const Cursor& row, std::size_t column, std::vector<std::string>& out) {
  out = row.texts(column);
}
void read(const Cursor& row, std::size_t column, Timestamp& out) { out = row.time(column); }

}  // namespace

columnar::Family feedbackFamily() {
  columnar::Family family{"feedback", {}, 0, 1};
  for (const FeedbackColumn& column : kColumns) {
    family.columns.push_back({column.name, typeOf(column)});
  }
  family.key_order = columnar::kUuid7Order;
  return family;
}

SqlName columnNamed(std::string_view name) {
  const auto* found = std::find_if(kColumns.begin(), kColumns.end(), [name](const auto& column) {
    return column.name.text() == name;
  });
  if (found == kColumns.end()) throw std::logic_error("no column " + std::string(name));
  return found->name;
}

columnar::Row rowOf(Feedback feedback) {
  columnar::Row row;
  row.reserve(kColumns.size());
  for (const FeedbackColumn& column : kColumns) {
    row.push_back(std::visit(
        [&feedback](auto member) { return valueOf(std::move(feedback.*member)); }, column.member));
  }
  return row;
}

SqlText columnList() {
  SqlText list;
  for (const FeedbackColumn& column : kColumns) {
    list.add(list.empty() ? SqlView("f.") : SqlView(", f.")).add(column.name);
  }
  return list;
}

Feedback feedbackAt(const Cursor& row) {
  Feedback feedback;
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    std::visit([&](auto member) { read(row, i, feedback.*member); }, kColumns[i].member);
  }
  return feedback;
}

}  // namespace spindle::feedback
