#include "app/wiring/agent_traces.h"

#include <utility>

#include "agents/chat/trace_feed.h"

namespace spindle::app {
namespace {

class TraceFeedReader final : public training::AgentTraceReader {
 public:
  explicit TraceFeedReader(agents::TraceFeed feed) : feed_(std::move(feed)) {}

  Result<std::vector<training::AgentTrace>> next() override {
    std::vector<agents::TraceFeedItem> fed = TRY(feed_.next());
    std::vector<training::AgentTrace> traces;
    for (agents::TraceFeedItem& one : fed) {
      training::AgentTrace& trace = traces.emplace_back();
      trace.trace_id = std::move(one.trace_id);
      trace.conversation_id = std::move(one.conversation_id);
      trace.feedback = std::move(one.feedback);
      trace.number = one.number;
      if (!one.conversation) continue;
      training::ChatRow& row = trace.row.emplace();
      row.messages = std::move(one.conversation->messages);
      row.answers.push_back({std::move(one.conversation->answer)});
      row.tools = std::move(one.conversation->tools);
    }
    return traces;
  }

 private:
  agents::TraceFeed feed_;
};

}  // namespace

training::AgentTraces agentTraces(TracingStack& tracing) {
  return [&tracing](const tracing::ProjectScope& project,
                    const training::AgentTraceExportQuery& trace_query)
             -> Result<std::unique_ptr<training::AgentTraceReader>> {
    agents::TraceFeedOptions wanted;
    wanted.filter.query = trace_query.query;
    wanted.limit = trace_query.limit;
    wanted.feedback = trace_query.feedback;
    wanted.attribute = trace_query.attribute;
    agents::TraceFeed feed = TRY(agents::TraceFeed::open(tracing.spans(), tracing.feedback(),
                                                         project.id, std::move(wanted)));
    return std::unique_ptr<training::AgentTraceReader>(
        std::make_unique<TraceFeedReader>(std::move(feed)));
  };
}

}  // namespace spindle::app
