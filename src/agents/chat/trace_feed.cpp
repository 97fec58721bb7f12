#include "agents/chat/trace_feed.h"

#include <algorithm>
#include <utility>

#include "agents/store/span_store.h"
#include "feedback/feedback_json.h"
#include "feedback/feedback_store.h"
#include "wire/spelling.h"

namespace spindle::agents {
namespace {

/// Batch size. It is small because a trace can have thousands of spans with all their messages.
constexpr std::size_t kTracesPerBatch = 16;

}  // namespace

TraceFeed::TraceFeed(const SpanStore& spans,
                     const feedback::FeedbackStore& feedback,
                     std::string project_id,
                     TraceFeedOptions options,
                     std::vector<std::string> trace_ids)
    : spans_(&spans),
      feedback_(&feedback),
      project_id_(std::move(project_id)),
      options_(std::move(options)),
      trace_ids_(std::move(trace_ids)) {}

Result<TraceFeed> TraceFeed::open(const SpanStore& spans,
                                  const feedback::FeedbackStore& feedback,
                                  std::string project_id,
                                  TraceFeedOptions options) {
  std::vector<std::string> ids =
      TRY(spans.readMatchedTraces(project_id, options.filter, options.limit));
  return TraceFeed(spans, feedback, std::move(project_id), std::move(options), std::move(ids));
}

Result<std::vector<TraceFeedItem>> TraceFeed::next() {
  const auto begin = trace_ids_.begin() + static_cast<std::ptrdiff_t>(next_);
  const std::size_t count = std::min(kTracesPerBatch, trace_ids_.size() - next_);
  const std::vector<std::string> ids(begin, begin + static_cast<std::ptrdiff_t>(count));
  next_ += count;
  std::vector<TraceFeedItem> traces;
  if (ids.empty()) return traces;
  std::vector<AgentSpan> spans = TRY(spans_->readTraces(project_id_, ids));
  SpansByTrace by_trace;
  for (AgentSpan& span : spans) by_trace[span.trace_id].push_back(std::move(span));
  std::unordered_map<std::string, double> numbers;
  if (!options_.attribute.empty()) {
    std::unordered_map<std::string, double> read =
        TRY(spans_->readTraceNumbers(project_id_, ids, options_.attribute));
    numbers = std::move(read);
  }
  for (const std::string& id : ids) {
    TraceFeedItem& trace = traces.emplace_back();
    trace.trace_id = id;
    for (const AgentSpan& span : by_trace[id]) {
      if (trace.conversation_id.empty()) trace.conversation_id = span.conversation_id;
    }
    trace.conversation = conversationOf(by_trace[id]);
    if (const auto found = numbers.find(id); found != numbers.end()) trace.number = found->second;
  }
  if (options_.feedback) {
    TRY(addFeedback(by_trace, traces));
  }
  return traces;
}

Result<void> TraceFeed::addFeedback(SpansByTrace& by_trace, std::vector<TraceFeedItem>& traces) {
  std::vector<std::string> trace_ids;
  std::vector<std::string> conversation_ids;
  std::vector<std::string> span_ids;
  for (const TraceFeedItem& trace : traces) {
    trace_ids.push_back(trace.trace_id);
    if (!trace.conversation_id.empty()) conversation_ids.push_back(trace.conversation_id);
    for (const AgentSpan& span : by_trace[trace.trace_id]) span_ids.push_back(span.span_id);
  }
  const auto of_traces = feedback_->ofTargets(project_id_, feedback::kTurnTarget, trace_ids);
  if (!of_traces) return of_traces.error();
  const auto of_spans = feedback_->ofTargets(project_id_, feedback::kSpanTarget, span_ids);
  if (!of_spans) return of_spans.error();
  const auto of_conversations =
      feedback_->ofTargets(project_id_, feedback::kConversationTarget, conversation_ids);
  if (!of_conversations) return of_conversations.error();
  const auto add = [](const auto& said, const std::string& id, TraceFeedItem& trace) {
    const auto found = said.find(id);
    if (found == said.end()) return;
    trace.feedback.push_back(feedback::embeddedFeedback(found->second, wire::Spelling::kNeutral));
  };
  for (TraceFeedItem& trace : traces) {
    add(*of_traces, trace.trace_id, trace);
    for (const AgentSpan& span : by_trace[trace.trace_id]) add(*of_spans, span.span_id, trace);
    add(*of_conversations, trace.conversation_id, trace);
  }
  return {};
}

}  // namespace spindle::agents
