#include "pricing/cost_json.h"

#include <charconv>
#include <cmath>
#include <string>

namespace spindle::pricing {
namespace {

constexpr double kLargestCount = 9e18;  // safely fits into 64 bits

std::int64_t wholeNumber(double value) {
  const bool whole = std::abs(value) < kLargestCount && value == std::floor(value);
  return whole ? static_cast<std::int64_t>(value) : 0;
}

std::int64_t countOf(const json::Node& value) {
  switch (value.kind()) {
    case json::Kind::kTrue:
      return 1;
    case json::Kind::kInteger:
      return value.integer().value_or(0);
    case json::Kind::kDecimal:
      return wholeNumber(value.number());
    case json::Kind::kString: {
      const std::string text = value.text();
      std::int64_t number = 0;
      const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
      return end.ec == std::errc() && end.ptr == text.data() + text.size() ? number : 0;
    }
    default:
      return 0;
  }
}

}  // namespace

Usage usageOf(const json::Node& entry) {
  Usage usage;
  if (!entry.isObject()) return usage;
  const auto count = [&entry](std::string_view name) {
    const std::optional<json::Node> value = entry.find(name);
    return value ? countOf(*value) : 0;
  };
  usage.prompt_tokens = addTokens(count("prompt_tokens"), count("input_tokens"));
  usage.completion_tokens = addTokens(count("completion_tokens"), count("output_tokens"));
  usage.requests = count("requests");
  usage.total_tokens = count("total_tokens");
  usage.cache_creation_input_tokens = count("cache_creation_input_tokens");
  usage.cache_read_input_tokens = count("cache_read_input_tokens");
  return usage;
}

void writeCost(const Usage& usage,
               const Price& price,
               std::string_view project,
               json::Writer& out) {
  const Cost cost = costOf(usage, price.tokens);
  const bool of_project = price.level == PriceLevel::kProject;
  out.beginObject();
  out.key("prompt_tokens").integer(usage.prompt_tokens);
  out.key("completion_tokens").integer(usage.completion_tokens);
  out.key("requests").integer(usage.requests);
  out.key("total_tokens").integer(usage.total_tokens);
  out.key("cache_creation_input_tokens").integer(usage.cache_creation_input_tokens);
  out.key("cache_read_input_tokens").integer(usage.cache_read_input_tokens);
  out.key("prompt_tokens_total_cost").number(cost.prompt);
  out.key("completion_tokens_total_cost").number(cost.completion);
  out.key("cache_read_input_tokens_total_cost").number(cost.cache_read);
  out.key("cache_creation_input_tokens_total_cost").number(cost.cache_creation);
  out.key("prompt_token_cost").number(price.tokens.prompt);
  out.key("completion_token_cost").number(price.tokens.completion);
  out.key("cache_read_input_token_cost").number(price.tokens.cache_read);
  out.key("cache_creation_input_token_cost").number(price.tokens.cache_creation);
  out.key("prompt_token_cost_unit").string(price.prompt_unit);
  out.key("completion_token_cost_unit").string(price.completion_unit);
  out.key("effective_date").string(formatTimestamp(price.effective_date));
  out.key("provider_id").string(price.provider_id);
  out.key("pricing_level").string(textOf(price.level));
  out.key("pricing_level_id").string(of_project ? project : textOf(PriceLevel::kDefault));
  out.key("created_at").string(formatTimestamp(price.created_at));
  out.key("created_by").string(price.created_by);
  out.endObject();
}

}  // namespace spindle::pricing
