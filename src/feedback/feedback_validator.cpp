#include "feedback/feedback_validator.h"

#include <optional>
#include <utility>

#include "base/crypto/id.h"
#include "feedback/feedback_payload.h"
#include "feedback/feedback_type.h"
#include "feedback/json_schema.h"
#include "objects/values/ref.h"
#include "wire/spelling.h"

namespace spindle::feedback {
namespace {

using objects::Ref;
using objects::RefKind;

Error invalid(std::string_view message) { return Error::invalidArgument(message); }

bool isUuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    if (dash ? c != '-' : !hex) return false;
  }
  return true;
}

std::string_view kindText(RefKind kind) {
  switch (kind) {
    case RefKind::kObject:
      return "object";
    case RefKind::kOp:
      return "op";
    case RefKind::kTable:
      return "table";
    case RefKind::kCall:
      return kCallTarget;
    case RefKind::kAgentTurn:
      return kTurnTarget;
    case RefKind::kAgentConversation:
      return kConversationTarget;
    case RefKind::kAgentSpan:
      return kSpanTarget;
  }
  return "";
}

/// A ref in its stored form, and parsed.
struct StoredRef {
  std::string text;
  Ref ref;
};

Result<StoredRef> toStoredRef(const std::string& text, objects::RefProjects& projects) {
  std::string internal = TRY(objects::internalRef(text, projects));
  StoredRef taken;
  taken.text = objects::neutralRef(internal);
  Ref ref = TRY(objects::parseRef(taken.text));
  taken.ref = std::move(ref);
  return taken;
}

/// Converts an optional ref in place. @return the parsed ref, or nothing if it is not set.
Result<std::optional<Ref>> toStoredOptional(std::optional<std::string>& text,
                                            objects::RefProjects& projects) {
  if (!text) return std::optional<Ref>();
  StoredRef taken = TRY(toStoredRef(*text, projects));
  text = std::move(taken.text);
  return std::optional<Ref>(std::move(taken.ref));
}

bool belongsTo(const Ref& ref, std::string_view project_id) {
  return ref.scheme == wire::RefScheme::kInternal && ref.project == project_id;
}

bool hasScores(const Feedback& feedback) {
  const auto filled = [](const std::string& map) { return map != "{}"; };
  return !feedback.scorer_tags.empty() || filled(feedback.scorer_tag_reasons) ||
         filled(feedback.scorer_tag_confidences) || filled(feedback.scorer_ratings) ||
         filled(feedback.scorer_rating_reasons) || filled(feedback.scorer_rating_confidences);
}

/// Checks that the type requires or allows the members that are set.
Result<void> checkMembers(TypeKind kind, const Feedback& feedback) {
  const bool annotation = kind == TypeKind::kAnnotation;
  const bool runnable = kind == TypeKind::kRunnable;
  const bool monitor = kind == TypeKind::kAgentMonitor;
  if (annotation && !feedback.annotation_ref)
    return invalid("annotation_ref is required for annotation feedback");
  if (!annotation && feedback.annotation_ref)
    return invalid("annotation_ref is only allowed for annotation feedback");
  if (runnable && !feedback.runnable_ref)
    return invalid("runnable_ref is required for runnable feedback");
  if (monitor && !feedback.runnable_ref)
    return invalid("runnable_ref is required for agent monitor feedback");
  if (monitor && !feedback.call_ref)
    return invalid("call_ref is required for agent monitor feedback");
  if (monitor && !feedback.trigger_ref)
    return invalid("trigger_ref is required for agent monitor feedback");
  const bool scored = runnable || monitor;
  if (!scored && feedback.runnable_ref)
    return invalid("runnable_ref is only allowed for runnable feedback");
  if (!scored && feedback.call_ref)
    return invalid("call_ref is only allowed for runnable feedback");
  if (!scored && feedback.trigger_ref)
    return invalid("trigger_ref is only allowed for runnable feedback");
  const bool user = kind == TypeKind::kAgentUserFeedback;
  if (user && feedback.scorer_tags.empty())
    return invalid("scorer_tags is required for agent user feedback");
  if (!scored && !user && hasScores(feedback))
    return invalid("scorer fields are only allowed for runnable and agent feedback");
  return {};
}

/// Fills an id from the target. Rejects a different id given by the client.
Result<void> derive(std::string& id, const std::string& from_target, std::string_view name) {
  if (id.empty()) id = from_target;
  if (id == from_target) return {};
  return invalid(std::string(name) + " contradicts the target ref");
}

Result<void> deriveSpanIds(Feedback& feedback, RefKind target) {
  if (target == RefKind::kAgentTurn)
    return derive(feedback.span_trace_id, feedback.target_id, "span_trace_id");
  if (target == RefKind::kAgentConversation)
    return derive(feedback.span_conversation_id, feedback.target_id, "span_conversation_id");
  return {};
}

Result<void> checkRunnable(const Ref& runnable, std::string_view name, const Feedback& feedback) {
  if (!runnable.isObjectOrOp() || runnable.name != name) {
    return invalid("runnable_ref must point to an object or op named " + std::string(name));
  }
  if (runnable.kind == RefKind::kOp && !feedback.call_ref)
    return invalid("call_ref is required for runnable feedback of an op");
  return {};
}

}  // namespace

Result<void> FeedbackValidator::checkAnnotation(const Feedback& feedback,
                                                std::string_view name,
                                                const FeedbackOrigin& origin) const {
  const Ref ref = TRY(objects::parseRef(*feedback.annotation_ref));
  if (ref.kind != RefKind::kObject || ref.name != name || !belongsTo(ref, origin.project_id)) {
    return invalid("annotation_ref must point to an object named " + std::string(name) +
                   " in the same project");
  }
  const std::string spec = TRY(ports_.object_value(origin.project_id, ref.name, ref.version));
  const std::string schema = memberOf(spec, "field_schema");
  if (schema.empty()) return {};
  return checkAgainstSchema(memberOf(feedback.payload, "value"), schema);
}

Result<Feedback> FeedbackValidator::validate(Feedback given, const FeedbackOrigin& origin) const {
  Feedback feedback = std::move(given);
  const Timestamp now = ports_.clock.now();
  if (feedback.id.empty()) feedback.id = newUuid(now);
  if (!isUuid(feedback.id)) return invalid("Invalid UUID: " + feedback.id);
  feedback.created_at = now;
  feedback.svc_user_id = origin.user_id;
  feedback.feedback_type = wire::neutralFeedbackType(feedback.feedback_type);

  StoredRef target = TRY(toStoredRef(feedback.svc_ref, origin.projects));
  feedback.svc_ref = std::move(target.text);
  if (belongsTo(target.ref, origin.project_id)) {
    feedback.target_kind = kindText(target.ref.kind);
    feedback.target_id = target.ref.name;
  }

  const FeedbackType type = feedbackTypeOf(feedback.feedback_type);
  TRY(checkMembers(type.kind, feedback));
  const bool agent =
      type.kind == TypeKind::kAgentMonitor || type.kind == TypeKind::kAgentUserFeedback;
  if (agent) {
    TRY(deriveSpanIds(feedback, target.ref.kind));
  }

  std::string payload = TRY(storedPayload(type, feedback.payload, ports_.emoji));
  feedback.payload = std::move(payload);
  TRY(objects::internalizeRefs(feedback.payload, origin.projects));

  std::optional<Ref> runnable = TRY(toStoredOptional(feedback.runnable_ref, origin.projects));
  for (std::optional<std::string>* ref :
       {&feedback.annotation_ref, &feedback.call_ref, &feedback.trigger_ref}) {
    TRY(toStoredOptional(*ref, origin.projects));
  }
  if (type.kind == TypeKind::kRunnable) {
    TRY(checkRunnable(*runnable, type.name, feedback));
  }
  if (type.kind == TypeKind::kAnnotation) {
    TRY(checkAnnotation(feedback, type.name, origin));
  }
  if (feedback.queue_id) {
    if (!TRY(ports_.queue_exists(origin.project_id, *feedback.queue_id)))
      return invalid("Unknown annotation queue: " + *feedback.queue_id);
  }
  return feedback;
}

}  // namespace spindle::feedback
