#include "feedback/feedback_json.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

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

/// A column of responses. Columns without a member have their own form.
struct ResponseColumn {
  std::string_view name;
  std::variant<std::monostate, std::string Feedback::*, std::optional<std::string> Feedback::*>
      member = {};
  bool json = false;  ///< the member contains JSON
};

constexpr auto kResponseColumns = std::to_array<ResponseColumn>({
    {"id", &Feedback::id},
    {"project_id"},
    {"svc_ref", &Feedback::svc_ref},
    {"svc_user_id", &Feedback::svc_user_id},
    {"creator", &Feedback::creator},
    {"created_at"},
    {"feedback_type"},
    {"payload", &Feedback::payload, true},
    {"annotation_ref", &Feedback::annotation_ref},
    {"runnable_ref", &Feedback::runnable_ref},
    {"call_ref", &Feedback::call_ref},
    {"trigger_ref", &Feedback::trigger_ref},
    {"queue_id", &Feedback::queue_id},
    {"scorer_tags"},
    {"scorer_tag_reasons", &Feedback::scorer_tag_reasons, true},
    {"scorer_tag_confidences", &Feedback::scorer_tag_confidences, true},
    {"scorer_ratings", &Feedback::scorer_ratings, true},
    {"scorer_rating_reasons", &Feedback::scorer_rating_reasons, true},
    {"scorer_rating_confidences", &Feedback::scorer_rating_confidences, true},
    {"span_agent_name", &Feedback::span_agent_name},
    {"span_agent_version", &Feedback::span_agent_version},
    {"span_status_code", &Feedback::span_status_code},
    {"span_conversation_id", &Feedback::span_conversation_id},
    {"span_trace_id", &Feedback::span_trace_id},
    {"scorer_trace_id", &Feedback::scorer_trace_id},
});

}  // namespace

const std::vector<std::string_view>& feedbackColumns() {
  static const std::vector<std::string_view> columns = [] {
    std::vector<std::string_view> names;
    for (const ResponseColumn& column : kResponseColumns) names.push_back(column.name);
    return names;
  }();
  return columns;
}

void writeColumn(std::string_view column,
                 const Feedback& feedback,
                 std::string_view project,
                 Spelling spelling,
                 json::Writer& out) {
  const auto* const found =
      std::find_if(kResponseColumns.begin(), kResponseColumns.end(),
                   [column](const ResponseColumn& one) { return one.name == column; });
  SPINDLE_ASSERT(found != kResponseColumns.end(), "feedback has no such column");
  if (const auto* text = std::get_if<std::string Feedback::*>(&found->member)) {
    found->json ? out.raw(feedback.*(*text)) : out.string(feedback.*(*text));
  } else if (const auto* optional =
                 std::get_if<std::optional<std::string> Feedback::*>(&found->member)) {
    const std::optional<std::string>& value = feedback.*(*optional);
    value ? out.string(*value) : out.null();
  } else if (column == "created_at") {
    out.string(formatTimestamp(feedback.created_at));
  } else if (column == "feedback_type") {
    out.string(wire::feedbackTypeFor(spelling, feedback.feedback_type));
  } else if (column == "project_id") {
    out.string(project);
  } else {
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
