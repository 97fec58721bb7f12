#include "feedback/feedback_json.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/core/check.h"
#include "base/core/time.h"

namespace spindle::feedback {
namespace {

using wire::Spelling;

constexpr auto kEmbedded = std::to_array<std::string_view>(
    {"id", "feedback_type", "svc_ref", "payload", "creator", "created_at", "svc_user_id",
     "runnable_ref", "call_ref", "trigger_ref", "annotation_ref", "scorer_tags",
     "scorer_tag_reasons", "scorer_tag_confidences", "scorer_ratings", "scorer_rating_reasons",
     "scorer_rating_confidences"});

struct TextColumn {
  std::string_view name;
  std::string Feedback::*member;
};
constexpr auto kTextMembers = std::to_array<TextColumn>({
    {"id", &Feedback::id},
    {"svc_ref", &Feedback::svc_ref},
    {"svc_user_id", &Feedback::svc_user_id},
    {"span_agent_name", &Feedback::span_agent_name},
    {"span_agent_version", &Feedback::span_agent_version},
    {"span_status_code", &Feedback::span_status_code},
    {"span_conversation_id", &Feedback::span_conversation_id},
    {"span_trace_id", &Feedback::span_trace_id},
    {"scorer_trace_id", &Feedback::scorer_trace_id},
});

struct OptionalColumn {
  std::string_view name;
  std::optional<std::string> Feedback::*member;
};
constexpr auto kOptionals = std::to_array<OptionalColumn>({
    {"creator", &Feedback::creator},
    {"annotation_ref", &Feedback::annotation_ref},
    {"runnable_ref", &Feedback::runnable_ref},
    {"call_ref", &Feedback::call_ref},
    {"trigger_ref", &Feedback::trigger_ref},
    {"queue_id", &Feedback::queue_id},
});

/// Stored as JSON.
constexpr auto kObjects = std::to_array<TextColumn>({
    {"payload", &Feedback::payload},
    {"scorer_tag_reasons", &Feedback::scorer_tag_reasons},
    {"scorer_tag_confidences", &Feedback::scorer_tag_confidences},
    {"scorer_ratings", &Feedback::scorer_ratings},
    {"scorer_rating_reasons", &Feedback::scorer_rating_reasons},
    {"scorer_rating_confidences", &Feedback::scorer_rating_confidences},
});

template <class Columns>
auto findColumn(const Columns& columns, std::string_view name) {
  return std::find_if(columns.begin(), columns.end(),
                      [name](const auto& column) { return column.name == name; });
}

}  // namespace

const std::vector<std::string_view>& feedbackColumns() {
  static const std::vector<std::string_view> columns = {
      "id",
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
      "scorer_trace_id",
  };
  return columns;
}

void writeColumn(std::string_view column,
                 const Feedback& feedback,
                 std::string_view project,
                 Spelling spelling,
                 json::Writer& out) {
  if (const auto text = findColumn(kTextMembers, column); text != kTextMembers.end()) {
    out.string(feedback.*(text->member));
  } else if (const auto object = findColumn(kObjects, column); object != kObjects.end()) {
    out.raw(feedback.*(object->member));
  } else if (const auto optional = findColumn(kOptionals, column); optional != kOptionals.end()) {
    const std::optional<std::string>& value = feedback.*(optional->member);
    value ? out.string(*value) : out.null();
  } else if (column == "created_at") {
    out.string(formatTimestamp(feedback.created_at));
  } else if (column == "feedback_type") {
    out.string(wire::feedbackTypeFor(spelling, feedback.feedback_type));
  } else if (column == "project_id") {
    out.string(project);
  } else {
    SPINDLE_ASSERT(column == "scorer_tags", "feedback has no such column");
    out.beginArray();
    for (const std::string& tag : feedback.scorer_tags) out.string(tag);
    out.endArray();
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
