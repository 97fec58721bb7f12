#include "agents/chat_reader_json.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "agents/call_to_span_json.h"
#include "agents/chat_json.h"
#include "agents/chat_projection.h"
#include "agents/columnar_span_store.h"
#include "agents/conversation_store.h"
#include "agents/span_cost.h"
#include "feedback/feedback_json.h"
#include "feedback/feedback_store.h"
#include "json/writer.h"
#include "tracing/call_store.h"

namespace spindle::agents {
namespace {

using tracing::CallColumn;

/// Calls are turned into spans in memory.
constexpr std::int64_t kMostCalls = 20'000;

/// The spans of a trace and what feedback about them is called.
struct Steps {
  std::vector<AgentSpan> spans;
  bool are_calls = false;
};

Result<std::vector<AgentSpan>> readCalls(tracing::CallStore& calls,
                                         const tracing::ProjectScope& project,
                                         const std::string& trace_id) {
  Result<std::unique_ptr<tracing::CallView>> view = calls.view(project);
  if (!view) return std::move(view).error();
  tracing::CallSelection selection;
  selection.filter.trace_ids = std::vector<std::string>{trace_id};
  tracing::CallPage page;
  page.limit = kMostCalls;
  Result<std::unique_ptr<tracing::CallReader>> reader = (*view)->read(
      selection, page,
      {CallColumn::kId, CallColumn::kTraceId, CallColumn::kParentId, CallColumn::kThreadId,
       CallColumn::kOpName, CallColumn::kDisplayName, CallColumn::kStartedAt, CallColumn::kEndedAt,
       CallColumn::kException, CallColumn::kAttributes, CallColumn::kInputs, CallColumn::kOutput,
       CallColumn::kSummary, CallColumn::kUserId});
  if (!reader) return std::move(reader).error();
  std::vector<tracing::Call> found;
  while (true) {
    Result<std::vector<tracing::Call>> batch = (*reader)->next();
    if (!batch) return std::move(batch).error();
    if (batch->empty()) break;
    found.insert(found.end(), std::make_move_iterator(batch->begin()),
                 std::make_move_iterator(batch->end()));
  }
  return spansOfCalls(found);
}

/// What was said of the turn and of the spans that messages show.
Result<ChatFeedback> readFeedback(const ChatPorts& ports,
                                  const std::string& project_id,
                                  const std::string& trace_id,
                                  const Chat& chat,
                                  bool are_calls,
                                  wire::Spelling spelling) {
  ChatFeedback said;
  const auto turn = ports.feedback.ofTargets(project_id, feedback::kTurnTarget, {trace_id});
  if (!turn) return turn.error();
  if (const auto found = turn->find(trace_id); found != turn->end())
    said.turn = feedback::embeddedFeedback(found->second, spelling);
  std::set<std::string> ids;
  for (const ChatMessage& message : chat.messages) {
    if (message.span_id) ids.insert(*message.span_id);
  }
  const std::vector<std::string> shown(ids.begin(), ids.end());
  const auto spans = ports.feedback.ofTargets(
      project_id, are_calls ? feedback::kCallTarget : feedback::kSpanTarget, shown);
  if (!spans) return spans.error();
  for (const auto& [id, list] : *spans)
    said.by_span.emplace(id, feedback::embeddedFeedback(list, spelling));
  return said;
}

/// Writes one chat and tells what it cost.
Result<std::optional<double>> addChat(const ChatPorts& ports,
                                      const tracing::ProjectScope& project,
                                      const std::string& trace_id,
                                      const Steps& steps,
                                      const pricing::ProjectPrices& prices,
                                      const ChatWishes& wishes,
                                      json::Writer& out) {
  const Chat chat = projectChat(steps.spans, costsOf(steps.spans, prices));
  std::optional<ChatFeedback> said;
  if (wishes.feedback) {
    Result<ChatFeedback> read =
        readFeedback(ports, project.id, trace_id, chat, steps.are_calls, wishes.spelling);
    if (!read) return std::move(read).error();
    said = *std::move(read);
  }
  writeChat(trace_id, chat, said ? &*said : nullptr, wishes.spelling, out);
  return chat.total_cost_usd;
}

}  // namespace

Result<std::string> readTraceChat(const ChatPorts& ports,
                                  const tracing::ProjectScope& project,
                                  const std::string& trace_id,
                                  const ChatWishes& wishes) {
  Result<std::vector<AgentSpan>> spans = ports.spans.readTrace(project.id, trace_id);
  if (!spans) return std::move(spans).error();
  Steps steps{*std::move(spans)};
  if (steps.spans.empty()) {
    Result<std::vector<AgentSpan>> calls = readCalls(ports.calls, project, trace_id);
    if (!calls) return std::move(calls).error();
    steps = {*std::move(calls), true};
  }
  const auto prices = ports.prices(project.id);
  if (!prices) return prices.error();
  std::string text;
  json::Writer out(text);
  const auto written = addChat(ports, project, trace_id, steps, **prices, wishes, out);
  if (!written) return written.error();
  return text;
}

Result<std::string> readConversationChat(const ChatPorts& ports,
                                         const tracing::ProjectScope& project,
                                         const ConversationPage& page,
                                         const ChatWishes& wishes) {
  const Result<Turns> turns =
      readTurns(ports.spans, project.id, page.conversation_id, page.limit, page.offset);
  if (!turns) return turns.error();
  Result<std::vector<AgentSpan>> spans = ports.spans.readTraces(project.id, turns->trace_ids);
  if (!spans) return std::move(spans).error();
  std::map<std::string, Steps> by_trace;
  for (AgentSpan& span : *spans) {
    // Spans that do not name a conversation belong to the one of their trace.
    if (!span.conversation_id.empty() && span.conversation_id != page.conversation_id) continue;
    by_trace[span.trace_id].spans.push_back(std::move(span));
  }
  const auto prices = ports.prices(project.id);
  if (!prices) return prices.error();

  std::string text;
  json::Writer out(text);
  out.beginObject().key("conversation_id").string(page.conversation_id).key("turns").beginArray();
  std::optional<double> total;
  for (const std::string& trace_id : turns->trace_ids) {
    const auto cost = addChat(ports, project, trace_id, by_trace[trace_id], **prices, wishes, out);
    if (!cost) return cost.error();
    if (*cost) total = total.value_or(0) + **cost;
  }
  const auto shown = static_cast<std::int64_t>(turns->trace_ids.size());
  out.endArray().key("total_turns").integer(turns->total);
  out.key("has_more").boolean(page.offset + shown < turns->total);
  out.key("limit").integer(page.limit).key("offset").integer(page.offset).key("total_cost_usd");
  if (total) {
    out.number(*total);
  } else {
    out.null();
  }
  out.key("feedback");
  if (wishes.feedback) {
    const auto said =
        ports.feedback.ofTargets(project.id, feedback::kConversationTarget, {page.conversation_id});
    if (!said) return said.error();
    const auto found = said->find(page.conversation_id);
    out.raw(found == said->end() ? "[]"
                                 : feedback::embeddedFeedback(found->second, wishes.spelling));
  } else {
    out.null();
  }
  out.endObject();
  return text;
}

}  // namespace spindle::agents
