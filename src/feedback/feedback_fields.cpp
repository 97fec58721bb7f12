#include "feedback/feedback_fields.h"

#include <algorithm>
#include <array>
#include <utility>

#include "query/field.h"

namespace spindle::feedback {
namespace {

constexpr auto kTextFields = std::to_array<std::string_view>(
    {"id", "svc_ref", "svc_user_id", "creator", "feedback_type", "annotation_ref", "runnable_ref",
     "call_ref", "trigger_ref", "queue_id", "span_agent_name", "span_agent_version",
     "span_status_code", "span_conversation_id", "span_trace_id", "scorer_trace_id"});
constexpr auto kMapFields = std::to_array<std::string_view>(
    {"scorer_tag_reasons", "scorer_tag_confidences", "scorer_ratings", "scorer_rating_reasons",
     "scorer_rating_confidences"});

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Joins the rest of a path into the key of a map; the key may contain dots.
std::string mapKeyOf(const std::vector<std::string>& parts) {
  std::string key = parts[1];
  for (std::size_t i = 2; i < parts.size(); ++i) key += "." + parts[i];
  return key;
}

}  // namespace

Result<FeedbackField> feedbackField(std::string_view path) {
  using Type = FeedbackFieldType;
  const std::vector<std::string> parts = TRY(query::splitPath(path));
  const std::string& name = parts.front();
  const bool whole = parts.size() == 1;
  if (whole && contains(kTextFields, name)) return FeedbackField{Type::kText, name};
  if (whole && name == "created_at") return FeedbackField{Type::kTime, name};
  if (whole && name == "scorer_tags") return FeedbackField{Type::kTexts, name};
  if (whole && name == "project_id") return FeedbackField{Type::kProject, name};
  if (name == "payload") return FeedbackField{Type::kJson, name, {parts.begin() + 1, parts.end()}};
  if (contains(kMapFields, name)) {
    FeedbackField field{Type::kJson, name};
    if (!whole) field.path = {mapKeyOf(parts)};
    return field;
  }
  return Error::invalidArgument("Unknown field: " + std::string(path));
}

}  // namespace spindle::feedback
