#include "agents/chat/conversation_json.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <variant>

#include "agents/store/span_store.h"
#include "feedback/emoji.h"
#include "feedback/feedback_store.h"
#include "feedback/feedback_type.h"
#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"

namespace spindle::agents {
namespace {

using feedback::Feedback;
using ByTarget = std::unordered_map<std::string, std::vector<Feedback>>;

/// Returns the values of a JSON object as JSON texts.
std::map<std::string, std::string> membersOf(const std::string& object) {
  std::map<std::string, std::string> members;
  const auto parsed = json::Document::parse(object, json::kStoredDepth);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr || !document->root().isObject()) return members;
  std::optional<std::string> name;
  for (const json::Node item : document->root()) {
    if (!name) {
      name = item.text();
    } else {
      members[*name] = item.raw();
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

void writeRatings(const Feedback& said, json::Writer& out) {
  const auto reasons = membersOf(said.scorer_rating_reasons);
  const auto confidences = membersOf(said.scorer_rating_confidences);
  out.beginArray();
  for (const auto& [name, value] : membersOf(said.scorer_ratings)) {
    out.beginObject().key("name").string(name).key("value").raw(value).key("reason");
    const auto reason = reasons.find(name);
    out.raw(reason == reasons.end() ? "null" : reason->second).key("confidence");
    const auto confidence = confidences.find(name);
    out.raw(confidence == confidences.end() ? "null" : confidence->second).endObject();
  }
  out.endArray();
}

void writeFeedback(const std::vector<Feedback>& list,
                   const std::string* trace_id,
                   wire::Spelling spelling,
                   json::Writer& out) {
  for (const Feedback& said : list) {
    if (!isAgentFeedback(said)) continue;
    out.beginObject().key("trace_id");
    if (trace_id != nullptr) {
      out.string(*trace_id);
    } else {
      out.null();
    }
    out.key("feedback_type").string(wire::feedbackTypeFor(spelling, said.feedback_type));
    out.key("tags").beginArray();
    for (const std::string& tag : said.scorer_tags)
      out.string(feedback::isOneEmoji(tag) ? feedback::withoutSkinTone(tag) : tag);
    out.endArray().key("ratings");
    writeRatings(said, out);
    out.endObject();
  }
}

template <class T>
T valueOrEmpty(Result<T> result) {
  return result ? *std::move(result) : T();
}

}  // namespace

std::string conversationSpansJson(const SpanStore& spans,
                                  const feedback::FeedbackStore& feedback,
                                  const tracing::ProjectScope& project,
                                  const ConversationSpansQuery& query) {
  const std::vector<ConversationSpan> found = valueOrEmpty(spans.readConversationSpans(
      project.id, query.conversation_ids, query.started_after, query.started_before));
  std::map<std::string, std::vector<const ConversationSpan*>> by_conversation;
  std::set<std::string> traces;
  for (const ConversationSpan& span : found) {
    by_conversation[span.conversation_id].push_back(&span);
    traces.insert(span.trace_id);
  }
  const ByTarget conversations = valueOrEmpty(
      feedback.ofTargets(project.id, feedback::kConversationTarget, query.conversation_ids));
  const ByTarget turns = valueOrEmpty(
      feedback.ofTargets(project.id, feedback::kTurnTarget, {traces.begin(), traces.end()}));

  std::string text;
  json::Writer out(text);
  out.beginObject().key("conversations").beginArray();
  for (const std::string& id : query.conversation_ids) {
    out.beginObject().key("conversation_id").string(id).key("spans").beginArray();
    std::set<std::string> own_traces;
    for (const ConversationSpan* span : by_conversation[id]) {
      out.beginObject().key("operation_name").string(span->operation_name);
      out.key("trace_id").string(span->trace_id).key("span_id").string(span->span_id);
      out.key("status").string(span->status).key("duration_ms").integer(span->duration_ms);
      out.endObject();
      own_traces.insert(span->trace_id);
    }
    out.endArray().key("spans_feedback").beginArray();
    if (const auto said = conversations.find(id); said != conversations.end())
      writeFeedback(said->second, nullptr, query.spelling, out);
    for (const std::string& trace : own_traces) {
      if (const auto said = turns.find(trace); said != turns.end())
        writeFeedback(said->second, &trace, query.spelling, out);
    }
    out.endArray().endObject();
  }
  out.endArray().endObject();
  return text;
}

}  // namespace spindle::agents
