#include "inference/gateway/reservation.h"

#include <algorithm>
#include <limits>

#include "pricing/cost_arithmetic.h"

namespace spindle::inference {
namespace {

constexpr std::int64_t kMostTokens = std::numeric_limits<std::int64_t>::max();

/// Multiplies two numbers that are at least 0. The result is limited to the maximum.
std::int64_t timesTokens(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return 0;
  return a > kMostTokens / b ? kMostTokens : a * b;
}

std::int64_t promptTokens(const RequestSize& request) {
  const auto text =
      static_cast<std::int64_t>(std::min(request.bytes, static_cast<std::size_t>(kMostTokens)));
  const std::int64_t images =
      timesTokens(std::max<std::int64_t>(0, request.images), kTokensOfImage);
  return pricing::addTokens(pricing::addTokens(text, kTemplateTokens), images);
}

}  // namespace

Reservation reservationFor(const RequestSize& request,
                           const Model& model,
                           const pricing::TokenPrices& prices) {
  Reservation reservation;
  const std::int64_t prompt = promptTokens(request);
  std::int64_t answer = 0;
  if (request.generates_tokens) {
    std::int64_t length = request.max_tokens.value_or(0);
    if (!request.max_tokens) {
      length = model.max_output_tokens > 0 ? model.max_output_tokens : kDefaultMaxTokens;
      reservation.set_max_tokens = length;
    }
    answer =
        timesTokens(std::max<std::int64_t>(0, length), std::max<std::int64_t>(1, request.choices));
  }
  reservation.tokens = pricing::addTokens(prompt, answer);
  // It is unknown whether a prompt token is written to a cache, which may cost more.
  const double dearest = std::max({0.0, prices.prompt, prices.cache_creation, prices.cache_read});
  reservation.cost = addNanoDollars(
      costInNanoDollars(static_cast<double>(prompt) * dearest),
      costInNanoDollars(static_cast<double>(answer) * std::max(0.0, prices.completion)));
  return reservation;
}

NanoDollars costOf(const TokenUsage& usage, const pricing::TokenPrices& prices) {
  pricing::Usage counted;
  counted.prompt_tokens = usage.prompt;
  counted.completion_tokens = usage.completion;
  counted.cache_read_input_tokens = usage.cached;
  return costInNanoDollars(pricing::costOf(counted, prices).total());
}

}  // namespace spindle::inference
