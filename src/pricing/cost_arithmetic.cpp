#include "pricing/cost_arithmetic.h"

#include <limits>

namespace spindle::pricing {

std::int64_t addTokens(std::int64_t a, std::int64_t b) {
  using Limits = std::numeric_limits<std::int64_t>;
  if (b > 0 && a > Limits::max() - b) return Limits::max();
  if (b < 0 && a < Limits::min() - b) return Limits::min();
  return a + b;
}

Usage& Usage::operator+=(const Usage& other) {
  for (const auto member :
       {&Usage::prompt_tokens, &Usage::completion_tokens, &Usage::requests, &Usage::total_tokens,
        &Usage::cache_creation_input_tokens, &Usage::cache_read_input_tokens}) {
    this->*member = addTokens(this->*member, other.*member);
  }
  return *this;
}

Cost costOf(const Usage& usage, const TokenPrices& prices) {
  // Doubles, so that absurd counts cannot overflow.
  const auto read = static_cast<double>(usage.cache_read_input_tokens);
  const auto created = static_cast<double>(usage.cache_creation_input_tokens);
  const double net = static_cast<double>(usage.prompt_tokens) - read - created;
  Cost cost;
  cost.prompt = net * prices.prompt;
  cost.completion = static_cast<double>(usage.completion_tokens) * prices.completion;
  cost.cache_read = read * prices.cache_read;
  cost.cache_creation = created * prices.cache_creation;
  return cost;
}

}  // namespace spindle::pricing
