#include "feedback/feedback_json.h"

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/core/check.h"
#include "base/core/time.h"
#include "feedback/feedback_columns.h"

namespace spindle::feedback {
namespace {

using wire::Spelling;

constexpr auto kEmbedded = std::to_array<std::string_view>(
    {"id", "feedback_type", "svc_ref", "payload", "creator", "created_at", "svc_user_id",
     "runnable_ref", "call_ref", "trigger_ref", "annotation_ref", "scorer_tags",
     "scorer_tag_reasons", "scorer_tag_confidences", "scorer_ratings", "scorer_rating_reasons",
     "scorer_rating_confidences"});

constexpr auto kResponseColumns = std::to_array<std::string_view>({"id",
                                                                   "project_id",
                                                                   "svc_ref",
                                                                   "svc_user_id",
                                                                   "creator",
                                                                   "created_at",
                                                                   "feedback_type",
                                                                   "payload",
                                                                   "annotation_ref",
                                                                   "runnable_ref",
                                                                   "call_ref",
                                                                   "trigger_ref",
                                                                   "queue_id",
                                                                   "scorer_tags",
                                                                   "scorer_tag_reasons",
                                                                   "scorer_tag_confidences",
                                                                   "scorer_ratings",
                                                                   "scorer_rating_reasons",
                                                                   "scorer_rating_confidences",
                                                                   "span_agent_name",
                                                                   "span_agent_version",
                                                                   "span_status_code",
                                                                   "span_conversation_id",
                                                                   "span_trace_id",
                                                                   "scorer_trace_id"});

void write(const std::string& text, json::Writer& out) { out.string(text); }
void write(const std::optional<std::string>& text, json::Writer& out) {
  text ? out.string(*text) : out.null();
}
void write(const std::vector<std::string>& texts, json::Writer& out) {
  out.beginArray();
  for (const std::string& text : texts) out.string(text);
  out.endArray();
}
void write(Timestamp time, json::Writer& out) { out.string(formatTimestamp(time)); }

}  // namespace

const std::vector<std::string_view>& feedbackColumns() {
  static const std::vector<std::string_view> columns(kResponseColumns.begin(),
                                                     kResponseColumns.end());
  return columns;
}

void writeColumn(std::string_view column,
                 const Feedback& feedback,
                 std::string_view project,
                 Spelling spelling,
                 json::Writer& out) {
  if (column == "project_id") {
    out.string(project);
    return;
  }
  if (column == "feedback_type") {
    out.string(wire::feedbackTypeFor(spelling, feedback.feedback_type));
    return;
  }
  const FeedbackColumn* found = findFeedbackColumn(column);
  SPINDLE_ASSERT(found != nullptr, "feedback has no such column");
  if (found->isJson()) {
    out.raw(feedback.*std::get<FeedbackColumn::Text>(found->member));
  } else {
    std::visit([&](auto member) { write(feedback.*member, out); }, found->member);
  }
}

std::string embeddedFeedback(const std::vector<Feedback>& feedback, Spelling spelling) {
  std::string text;
  json::Writer out(text);
  out.beginArray();
  for (const Feedback& one : feedback) {
    out.beginObject();
    for (const std::string_view column : kEmbedded) {
      out.key(wire::memberFor(spelling, column));
      writeColumn(column, one, {}, spelling, out);
    }
    out.endObject();
  }
  out.endArray();
  return text;
}

}  // namespace spindle::feedback
