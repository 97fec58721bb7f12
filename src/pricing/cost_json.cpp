#include "pricing/cost_json.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

namespace spindle::pricing {
namespace {

constexpr double kLargestCount = 9e18;  // safely fits into 64 bits

template <class Record, class Member>
using Named = std::pair<std::string_view, Member Record::*>;

// The numbers of an entry of `summary.svc.costs`, in their order there.
constexpr auto kCounts = std::to_array<Named<Usage, std::int64_t>>({
    {"prompt_tokens", &Usage::prompt_tokens},
    {"completion_tokens", &Usage::completion_tokens},
    {"requests", &Usage::requests},
    {"total_tokens", &Usage::total_tokens},
    {"cache_creation_input_tokens", &Usage::cache_creation_input_tokens},
    {"cache_read_input_tokens", &Usage::cache_read_input_tokens},
});
constexpr auto kTotals = std::to_array<Named<Cost, double>>({
    {"prompt_tokens_total_cost", &Cost::prompt},
    {"completion_tokens_total_cost", &Cost::completion},
    {"cache_read_input_tokens_total_cost", &Cost::cache_read},
    {"cache_creation_input_tokens_total_cost", &Cost::cache_creation},
});
constexpr auto kTokenPrices = std::to_array<Named<TokenPrices, double>>({
    {"prompt_token_cost", &TokenPrices::prompt},
    {"completion_token_cost", &TokenPrices::completion},
    {"cache_read_input_token_cost", &TokenPrices::cache_read},
    {"cache_creation_input_token_cost", &TokenPrices::cache_creation},
});

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
  for (const auto& [name, member] : kCounts) usage.*member = count(name);
  usage.prompt_tokens = addTokens(usage.prompt_tokens, count("input_tokens"));
  usage.completion_tokens = addTokens(usage.completion_tokens, count("output_tokens"));
  return usage;
}

void writeCost(const Usage& usage,
               const Price& price,
               std::string_view project,
               json::Writer& out) {
  const Cost cost = costOf(usage, price.tokens);
  const bool of_project = price.level == PriceLevel::kProject;
  out.beginObject();
  for (const auto& [name, member] : kCounts) out.key(name).integer(usage.*member);
  for (const auto& [name, member] : kTotals) out.key(name).number(cost.*member);
  for (const auto& [name, member] : kTokenPrices) out.key(name).number(price.tokens.*member);
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
