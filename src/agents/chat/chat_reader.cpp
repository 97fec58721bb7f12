#include "agents/chat/chat_reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "agents/chat/call_to_span.h"
#include "agents/chat/chat_projection.h"
#include "agents/store/span_cost.h"
#include "agents/store/span_store.h"
#include "base/core/paging.h"
#include "feedback/feedback_json.h"
#include "feedback/feedback_store.h"
#include "tracing/store/call_store.h"

namespace spindle::agents {
namespace {

using tracing::CallColumn;

/// Limit of calls per trace, because calls are converted to spans in memory.
constexpr std::int64_t kMaxChatCalls = 20'000;

/// The spans of a trace. `are_calls` decides the target type of their feedback.
struct Steps {
  std::vector<AgentSpan> spans;
  bool are_calls = false;
};

/// Calls `visit(Call)` for every matching call, oldest first.
template <class Visit>
Result<void> forEachCall(tracing::CallStore& calls,
                         const tracing::ProjectScope& project,
                         const tracing::CallQuery& selection,
                         std::optional<std::int64_t> limit,
                         const std::vector<CallColumn>& columns,
                         Visit visit) {
  std::unique_ptr<tracing::CallView> view = TRY(calls.view(project));
  tracing::CallPage page;
  page.limit = limit;
  std::unique_ptr<tracing::CallReader> reader = TRY(view->read(selection, page, columns));
  while (true) {
    std::vector<tracing::Call> batch = TRY(reader->next());
    if (batch.empty()) return {};
    for (tracing::Call& call : batch) visit(std::move(call));
  }
}

Result<std::vector<AgentSpan>> readCalls(tracing::CallStore& calls,
                                         const tracing::ProjectScope& project,
                                         const std::string& trace_id) {
  tracing::CallQuery selection;
  selection.filter.trace_ids = std::vector<std::string>{trace_id};
  std::vector<tracing::Call> found;
  TRY(forEachCall(
      calls, project, selection, kMaxChatCalls,
      {CallColumn::kId, CallColumn::kTraceId, CallColumn::kParentId, CallColumn::kThreadId,
       CallColumn::kOpName, CallColumn::kDisplayName, CallColumn::kStartedAt, CallColumn::kEndedAt,
       CallColumn::kException, CallColumn::kAttributes, CallColumn::kInputs, CallColumn::kOutput,
       CallColumn::kSummary, CallColumn::kUserId},
      [&found](tracing::Call call) { found.push_back(std::move(call)); }));
  return spansOfCalls(found);
}

/// Returns the traces with calls of the thread, in the form of SpanStore::readTurns().
Result<Turns> readThreadTurns(tracing::CallStore& calls,
                              const tracing::ProjectScope& project,
                              const ConversationPage& page) {
  tracing::CallQuery selection;
  selection.filter.thread_ids = std::vector<std::string>{page.conversation_id};
  std::set<std::string> seen;
  std::vector<std::pair<Timestamp, std::string>> traces;
  TRY(forEachCall(calls, project, selection, std::nullopt,
                  {CallColumn::kTraceId, CallColumn::kStartedAt}, [&](const tracing::Call& call) {
                    if (seen.insert(call.trace_id).second)
                      traces.emplace_back(call.started_at.value_or(Timestamp()), call.trace_id);
                  }));
  std::sort(traces.begin(), traces.end());
  Turns turns;
  turns.total = static_cast<std::int64_t>(traces.size());
  const std::int64_t end = std::max<std::int64_t>(0, turns.total - page.offset);
  for (std::int64_t i = std::max<std::int64_t>(0, end - page.limit); i < end; ++i)
    turns.trace_ids.push_back(std::move(traces[static_cast<std::size_t>(i)].second));
  return turns;
}

/// A page of turns with their spans.
struct Conversation {
  Turns turns;
  std::map<std::string, Steps> by_trace;
};

/// Adds spans to their traces. A span without a conversation belongs to the conversation of its
/// trace.
void addSteps(Conversation& conversation,
              const std::string& conversation_id,
              std::vector<AgentSpan> spans,
              bool are_calls) {
  for (AgentSpan& span : spans) {
    if (!span.conversation_id.empty() && span.conversation_id != conversation_id) continue;
    Steps& steps = conversation.by_trace[span.trace_id];
    steps.are_calls = are_calls;
    steps.spans.push_back(std::move(span));
  }
}

/// Reads a page of a conversation from its spans; without spans, from the thread of calls.
Result<Conversation> readConversation(const ChatPorts& ports,
                                      const tracing::ProjectScope& project,
                                      const ConversationPage& page) {
  Turns turns =
      TRY(ports.spans.readTurns(project.id, page.conversation_id, page.limit, page.offset));
  Conversation conversation{std::move(turns), {}};
  if (conversation.turns.total > 0 || page.conversation_id.empty()) {
    std::vector<AgentSpan> spans =
        TRY(ports.spans.readTraces(project.id, conversation.turns.trace_ids));
    addSteps(conversation, page.conversation_id, std::move(spans), false);
    return conversation;
  }
  Turns thread = TRY(readThreadTurns(ports.calls, project, page));
  conversation.turns = std::move(thread);
  for (const std::string& trace_id : conversation.turns.trace_ids) {
    std::vector<AgentSpan> calls = TRY(readCalls(ports.calls, project, trace_id));
    addSteps(conversation, page.conversation_id, std::move(calls), true);
  }
  return conversation;
}

using FeedbackByTarget = std::unordered_map<std::string, std::vector<feedback::Feedback>>;

/// Returns the feedback on one target as a JSON list.
json::Text feedbackOn(const std::string& target,
                      const FeedbackByTarget& said,
                      wire::Spelling spelling) {
  const auto found = said.find(target);
  return {found == said.end() ? "[]" : feedback::embeddedFeedback(found->second, spelling)};
}

/// Reads the feedback on the turn and on the spans of its messages.
Result<ChatFeedback> readFeedback(const ChatPorts& ports,
                                  const std::string& project_id,
                                  const std::string& trace_id,
                                  const Chat& chat,
                                  bool are_calls,
                                  wire::Spelling spelling) {
  ChatFeedback said;
  const FeedbackByTarget turn =
      TRY(ports.feedback.ofTargets(project_id, feedback::kTurnTarget, {trace_id}));
  said.turn = feedbackOn(trace_id, turn, spelling);
  std::set<std::string> ids;
  for (const ChatMessage& message : chat.messages) {
    if (message.span_id) ids.insert(*message.span_id);
  }
  const std::vector<std::string> shown(ids.begin(), ids.end());
  const FeedbackByTarget spans = TRY(ports.feedback.ofTargets(
      project_id, are_calls ? feedback::kCallTarget : feedback::kSpanTarget, shown));
  for (const auto& [id, list] : spans)
    said.by_span.emplace(id, json::Text{feedback::embeddedFeedback(list, spelling)});
  return said;
}

/// Returns the chat view of one trace.
Result<ChatDocument> chatOf(const ChatPorts& ports,
                            const tracing::ProjectScope& project,
                            const std::string& trace_id,
                            const Steps& steps,
                            const pricing::ProjectPrices& prices,
                            const ChatReadOptions& options) {
  Chat chat = projectChat(steps.spans, costsOf(steps.spans, prices));
  std::optional<ChatFeedback> said;
  if (options.feedback) {
    ChatFeedback read =
        TRY(readFeedback(ports, project.id, trace_id, chat, steps.are_calls, options.spelling));
    said = std::move(read);
  }
  return chatDocument(trace_id, std::move(chat), std::move(said));
}

}  // namespace

Result<ChatDocument> readTraceChat(const ChatPorts& ports,
                                   const tracing::ProjectScope& project,
                                   const std::string& trace_id,
                                   const ChatReadOptions& options) {
  std::vector<AgentSpan> spans = TRY(ports.spans.readTrace(project.id, trace_id));
  Steps steps{std::move(spans)};
  if (steps.spans.empty()) {
    std::vector<AgentSpan> calls = TRY(readCalls(ports.calls, project, trace_id));
    steps = {std::move(calls), true};
  }
  const auto prices = TRY(ports.prices(project.id));
  return chatOf(ports, project, trace_id, steps, *prices, options);
}

Result<ConversationDocument> readConversationChat(const ChatPorts& ports,
                                                  const tracing::ProjectScope& project,
                                                  const ConversationPage& page,
                                                  const ChatReadOptions& options) {
  Conversation conversation = TRY(readConversation(ports, project, page));
  const Turns& turns = conversation.turns;
  const auto prices = TRY(ports.prices(project.id));

  ConversationDocument document;
  document.conversation_id = page.conversation_id;
  for (const std::string& trace_id : turns.trace_ids) {
    // Moved, so that the spans of one turn are released before the next one is converted.
    const Steps steps = std::move(conversation.by_trace[trace_id]);
    ChatDocument turn = TRY(chatOf(ports, project, trace_id, steps, *prices, options));
    if (turn.total_cost_usd)
      document.total_cost_usd = document.total_cost_usd.value_or(0) + *turn.total_cost_usd;
    document.turns.push_back(std::move(turn));
  }
  const auto shown = static_cast<std::int64_t>(turns.trace_ids.size());
  document.total_turns = turns.total;
  document.has_more = boundedRows(page.offset) + shown < turns.total;
  document.limit = page.limit;
  document.offset = page.offset;
  if (options.feedback) {
    const FeedbackByTarget said = TRY(ports.feedback.ofTargets(
        project.id, feedback::kConversationTarget, {page.conversation_id}));
    document.feedback = feedbackOn(page.conversation_id, said, options.spelling);
  }
  return document;
}

}  // namespace spindle::agents
