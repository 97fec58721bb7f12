#include "agents/chat/conversation_json.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>

#include "agents/store/record_members.h"
#include "agents/store/span_store.h"
#include "feedback/emoji.h"
#include "feedback/feedback_store.h"
#include "feedback/feedback_type.h"
#include "json/document.h"
#include "json/stored.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "schema/validated_json.h"

namespace spindle::agents {
namespace {

using feedback::Feedback;
using ByTarget = std::unordered_map<std::string, std::vector<Feedback>>;

/// Returns the values of a JSON object as JSON texts.
std::map<std::string, json::Text> membersOf(const std::string& object) {
  std::map<std::string, json::Text> members;
  const auto parsed = json::Document::parse(object, json::kStoredDepth);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr || !document->root().isObject()) return members;
  std::optional<std::string> name;
  for (const json::Node item : document->root()) {
    if (!name) {
      name = item.text();
    } else {
      members[*name].json = item.raw();
      name.reset();
    }
  }
  return members;
}

bool isAgentFeedback(const Feedback& said) {
  const feedback::TypeKind kind = feedback::feedbackTypeOf(said.feedback_type).kind;
  return kind == feedback::TypeKind::kAgentUserFeedback ||
         kind == feedback::TypeKind::kAgentMonitor;
}

std::vector<ConversationRating> ratingsOf(const Feedback& said) {
  auto reasons = membersOf(said.scorer_rating_reasons);
  auto confidences = membersOf(said.scorer_rating_confidences);
  std::vector<ConversationRating> ratings;
  for (auto& [name, value] : membersOf(said.scorer_ratings)) {
    // A missing reason or confidence is null.
    ratings.push_back(
        {name, std::move(value), std::move(reasons[name]), std::move(confidences[name])});
  }
  return ratings;
}

/// Adds the feedback of people and monitors on one target. `trace_id` is empty for a conversation.
void addFeedback(const ByTarget& by_target,
                 const std::string& target,
                 const std::optional<std::string>& trace_id,
                 wire::Spelling spelling,
                 std::vector<ConversationFeedback>& out) {
  const auto found = by_target.find(target);
  if (found == by_target.end()) return;
  for (const Feedback& said : found->second) {
    if (!isAgentFeedback(said)) continue;
    ConversationFeedback& shown = out.emplace_back();
    shown.trace_id = trace_id;
    shown.feedback_type = wire::feedbackTypeFor(spelling, said.feedback_type);
    for (const std::string& tag : said.scorer_tags)
      shown.tags.push_back(feedback::isOneEmoji(tag) ? feedback::withoutSkinTone(tag) : tag);
    shown.ratings = ratingsOf(said);
  }
}

template <class T>
T valueOrEmpty(Result<T> result) {
  return result ? *std::move(result) : T();
}

}  // namespace

schema::Codec<ConversationsSpans> conversationsSpansCodec() {
  using schema::list, schema::nullable, schema::Record, schema::string, schema::validatedJson;
  using S = ConversationSpan;
  using R = ConversationRating;
  using F = ConversationFeedback;
  using C = ConversationSpans;
  Record<S> span("ConversationSpan");
  addMembers(span, string(),
             {{"operation_name", &S::operation_name},
              {"trace_id", &S::trace_id},
              {"span_id", &S::span_id},
              {"status", &S::status}})
      .required("duration_ms", &S::duration_ms, schema::integer());
  const schema::Codec<R> rating =
      Record<R>("ConversationRating")
          .required("name", &R::name, string())
          .required("value", &R::value, validatedJson(schema::number()))
          .required("reason", &R::reason, validatedJson(nullable(string())))
          .required("confidence", &R::confidence, validatedJson(nullable(schema::number())))
          .codec();
  const schema::Codec<F> said = Record<F>("ConversationFeedback")
                                    .required("trace_id", &F::trace_id, nullable(string()),
                                              "Null for feedback on the whole conversation.")
                                    .required("feedback_type", &F::feedback_type, string())
                                    .required("tags", &F::tags, list(string()))
                                    .required("ratings", &F::ratings, list(rating))
                                    .codec();
  const schema::Codec<C> conversation =
      Record<C>("ConversationSpans")
          .required("conversation_id", &C::conversation_id, string())
          .required("spans", &C::spans, list(span.codec()), "The newest 200, oldest first.")
          .required("spans_feedback", &C::spans_feedback, list(said))
          .codec();
  return Record<ConversationsSpans>("ConversationsSpans")
      .required("conversations", &ConversationsSpans::conversations, list(conversation),
                "One per id, in the order of the request.")
      .codec();
}

ConversationsSpans readConversationsSpans(const SpanStore& spans,
                                          const feedback::FeedbackStore& feedback,
                                          const tracing::ProjectScope& project,
                                          const ConversationSpansQuery& query) {
  std::vector<ConversationSpan> found = valueOrEmpty(spans.readConversationSpans(
      project.id, query.conversation_ids, query.started_after, query.started_before));
  std::map<std::string, std::vector<ConversationSpan>> by_conversation;
  std::set<std::string> traces;
  for (ConversationSpan& span : found) {
    traces.insert(span.trace_id);
    by_conversation[span.conversation_id].push_back(std::move(span));
  }
  const ByTarget conversations = valueOrEmpty(
      feedback.ofTargets(project.id, feedback::kConversationTarget, query.conversation_ids));
  const ByTarget turns = valueOrEmpty(
      feedback.ofTargets(project.id, feedback::kTurnTarget, {traces.begin(), traces.end()}));

  ConversationsSpans shown;
  std::unordered_map<std::string_view, std::size_t> positions;
  for (const std::string& id : query.conversation_ids) {
    const auto [position, first] = positions.emplace(id, shown.conversations.size());
    if (!first) {
      ConversationSpans repeated = shown.conversations[position->second];
      shown.conversations.push_back(std::move(repeated));
      continue;
    }
    ConversationSpans& conversation = shown.conversations.emplace_back();
    conversation.conversation_id = id;
    conversation.spans = std::move(by_conversation[id]);
    std::set<std::string_view> own_traces;
    for (const ConversationSpan& span : conversation.spans) own_traces.insert(span.trace_id);
    addFeedback(conversations, id, std::nullopt, query.spelling, conversation.spans_feedback);
    for (const std::string_view trace : own_traces) {
      const std::string trace_id(trace);
      addFeedback(turns, trace_id, trace_id, query.spelling, conversation.spans_feedback);
    }
  }
  return shown;
}

}  // namespace spindle::agents
