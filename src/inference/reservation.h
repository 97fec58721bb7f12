#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "inference/catalogue.h"
#include "inference/money.h"
#include "inference/usage.h"
#include "pricing/price.h"

namespace spindle::inference {

/// What a chat template, a default system prompt and the preamble of tools may add to a prompt.
inline constexpr std::int64_t kTemplateTokens = 1'024;
/// What one image counts as. More than the largest that a provider known to us charges.
inline constexpr std::int64_t kTokensOfImage = 50'000;
/// The longest answer of a request that sets none, to a model that names none.
inline constexpr std::int64_t kDefaultMaxTokens = 4'096;

/// What the cost of a request depends on before it is answered.
struct RequestSize {
  std::size_t bytes = 0;     ///< of the whole body: no token is shorter than a byte
  std::int64_t images = 0;   ///< parts that are images
  std::int64_t choices = 1;  ///< how many answers are made: `n` (or `best_of`) for every prompt
  /// `max_completion_tokens`, else `max_tokens`, as far as the request has them.
  std::optional<std::int64_t> max_tokens = {};
  bool answers_in_tokens = true;  ///< false for embeddings
};

/// The most that a request can use.
struct Reservation {
  std::int64_t tokens = 0;
  NanoDollars cost = 0;
  /// The length that has to be written into the request for this to be true.
  std::optional<std::int64_t> set_max_tokens = {};
};

/// The upper bound for a request to a model. A model without a price costs nothing.
Reservation reservationFor(const RequestSize& request,
                           const Model& model,
                           const pricing::TokenPrices& prices);

/// What a request did cost.
NanoDollars costOf(const TokenUsage& usage, const pricing::TokenPrices& prices);

}  // namespace spindle::inference
