#include "app/agent_traces.h"

#include <utility>

#include "agents/trace_feed_json.h"

namespace spindle::app {
namespace {

class FeedReader final : public training::AgentTraceReader {
 public:
  explicit FeedReader(agents::TraceFeed feed) : feed_(std::move(feed)) {}

  Result<std::vector<training::AgentTrace>> next() override {
    Result<std::vector<agents::FedTrace>> fed = feed_.next();
    if (!fed) return std::move(fed).error();
    std::vector<training::AgentTrace> traces;
    for (agents::FedTrace& one : *fed) {
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
  return [&tracing](const tracing::ProjectScope& project, const training::AgentTraceWish& wish)
             -> Result<std::unique_ptr<training::AgentTraceReader>> {
    agents::TraceFeedWish wanted;
    wanted.selection.query = wish.query;
    wanted.limit = wish.limit;
    wanted.feedback = wish.feedback;
    wanted.attribute = wish.attribute;
    Result<agents::TraceFeed> feed =
        agents::TraceFeed::open(tracing.spans(), tracing.feedback(), project.id, std::move(wanted));
    if (!feed) return std::move(feed).error();
    return std::unique_ptr<training::AgentTraceReader>(
        std::make_unique<FeedReader>(*std::move(feed)));
  };
}

}  // namespace spindle::app
