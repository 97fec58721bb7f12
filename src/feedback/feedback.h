#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/time.h"

namespace spindle::feedback {

/// A reaction, note, annotation or score about a call, an object or a part of an agent trace, as it
/// is stored. Names are neutral; refs are internal where the project is known.
struct Feedback {
  std::string id;
  Timestamp created_at;
  std::string svc_ref;      ///< the target
  std::string target_kind;  ///< `call`, `object`, `op`, …; empty for a target in another project
  std::string target_id;    ///< id of the target within its kind
  std::string svc_user_id;
  std::optional<std::string> creator;
  std::string feedback_type;
  std::string payload = "{}";  ///< JSON object
  std::optional<std::string> annotation_ref;
  std::optional<std::string> runnable_ref;
  std::optional<std::string> call_ref;
  std::optional<std::string> trigger_ref;
  std::optional<std::string> queue_id;
  std::vector<std::string> scorer_tags;
  // JSON objects with strings or numbers, keyed by tag or by rating name.
  std::string scorer_tag_reasons = "{}";
  std::string scorer_tag_confidences = "{}";
  std::string scorer_ratings = "{}";
  std::string scorer_rating_reasons = "{}";
  std::string scorer_rating_confidences = "{}";
  std::string span_agent_name;
  std::string span_agent_version;
  std::string span_status_code = "UNSET";
  std::string span_conversation_id;
  std::string span_trace_id;
  std::string scorer_trace_id;

  bool operator==(const Feedback&) const = default;
};

inline constexpr std::string_view kCallTarget = "call";
inline constexpr std::string_view kTurnTarget = "agent_turn";
inline constexpr std::string_view kConversationTarget = "agent_conversation";
inline constexpr std::string_view kSpanTarget = "agent_span";

}  // namespace spindle::feedback
