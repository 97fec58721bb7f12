#include "agents/store/span_cost.h"

namespace spindle::agents {

std::optional<pricing::Cost> costOf(const AgentSpan& span, const pricing::ProjectPrices& prices) {
  const std::string& model = span.response_model.empty() ? span.request_model : span.response_model;
  if (model.empty()) return std::nullopt;
  const pricing::Price* price = prices.current(model);
  if (price == nullptr) return std::nullopt;
  pricing::Usage usage;
  usage.prompt_tokens = span.input_tokens;
  usage.completion_tokens = span.output_tokens;
  usage.cache_creation_input_tokens = span.cache_creation_input_tokens;
  usage.cache_read_input_tokens = span.cache_read_input_tokens;
  return pricing::costOf(usage, price->tokens);
}

std::vector<std::optional<pricing::Cost>> costsOf(const std::vector<AgentSpan>& spans,
                                                  const pricing::ProjectPrices& prices) {
  std::vector<std::optional<pricing::Cost>> costs;
  costs.reserve(spans.size());
  for (const AgentSpan& span : spans) costs.push_back(costOf(span, prices));
  return costs;
}

}  // namespace spindle::agents
