#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/core/sql_text.h"
#include "base/core/time.h"
#include "feedback/feedback.h"

namespace spindle::feedback {

/// A column of stored feedback, and the member that holds its value.
struct FeedbackColumn {
  using Text = std::string Feedback::*;
  using OptionalText = std::optional<std::string> Feedback::*;
  using Texts = std::vector<std::string> Feedback::*;
  using Time = Timestamp Feedback::*;

  enum class Form {
    kPlain,
    kJson,      ///< any JSON object
    kMap,       ///< a JSON object of texts or of numbers
    kInternal,  ///< plain; queries and responses do not name it
  };

  SqlName name;
  std::variant<Text, OptionalText, Texts, Time> member;
  Form form = Form::kPlain;

  bool isJson() const { return form == Form::kJson || form == Form::kMap; }
};

/// Columns in their stored order. Append new ones at the end only.
inline constexpr auto kFeedbackColumns = std::to_array<FeedbackColumn>({
    {"id", &Feedback::id},
    {"created_at", &Feedback::created_at},
    {"target_kind", &Feedback::target_kind, FeedbackColumn::Form::kInternal},
    {"target_id", &Feedback::target_id, FeedbackColumn::Form::kInternal},
    {"svc_ref", &Feedback::svc_ref},
    {"svc_user_id", &Feedback::svc_user_id},
    {"creator", &Feedback::creator},
    {"feedback_type", &Feedback::feedback_type},
    {"payload", &Feedback::payload, FeedbackColumn::Form::kJson},
    {"annotation_ref", &Feedback::annotation_ref},
    {"runnable_ref", &Feedback::runnable_ref},
    {"call_ref", &Feedback::call_ref},
    {"trigger_ref", &Feedback::trigger_ref},
    {"queue_id", &Feedback::queue_id},
    {"scorer_tags", &Feedback::scorer_tags},
    {"scorer_tag_reasons", &Feedback::scorer_tag_reasons, FeedbackColumn::Form::kMap},
    {"scorer_tag_confidences", &Feedback::scorer_tag_confidences, FeedbackColumn::Form::kMap},
    {"scorer_ratings", &Feedback::scorer_ratings, FeedbackColumn::Form::kMap},
    {"scorer_rating_reasons", &Feedback::scorer_rating_reasons, FeedbackColumn::Form::kMap},
    {"scorer_rating_confidences", &Feedback::scorer_rating_confidences, FeedbackColumn::Form::kMap},
    {"span_agent_name", &Feedback::span_agent_name},
    {"span_agent_version", &Feedback::span_agent_version},
    {"span_status_code", &Feedback::span_status_code},
    {"span_conversation_id", &Feedback::span_conversation_id},
    {"span_trace_id", &Feedback::span_trace_id},
    {"scorer_trace_id", &Feedback::scorer_trace_id},
});

/// Returns the column with this name, or null.
const FeedbackColumn* findFeedbackColumn(std::string_view name);

}  // namespace spindle::feedback
