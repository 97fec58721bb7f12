#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "inference/catalogue/catalogue.h"
#include "inference/limits/nano_dollars.h"
#include "inference/usage/usage.h"
#include "pricing/price.h"

namespace spindle::inference {

/// The tokens that a chat template, a default system prompt and tool descriptions may add.
inline constexpr std::int64_t kTemplateTokens = 1'024;
/// The tokens of one image: more than the maximum of any provider known to us.
inline constexpr std::int64_t kTokensOfImage = 50'000;
/// The maximum completion length if neither the request nor the model sets one.
inline constexpr std::int64_t kDefaultMaxTokens = 4'096;

/// The properties of a request that determine its maximum cost.
struct RequestSize {
  std::size_t bytes = 0;     ///< size of the whole body; a token has at least one byte
  std::int64_t images = 0;   ///< number of image parts
  std::int64_t choices = 1;  ///< number of completions: `n` (or `best_of`) for every prompt
  /// `max_completion_tokens`, else `max_tokens`, if the request has one.
  std::optional<std::int64_t> max_tokens = {};
  bool generates_tokens = true;  ///< false for embeddings
};

/// The maximum usage of a request.
struct Reservation {
  std::int64_t tokens = 0;
  NanoDollars cost = 0;
  /// The maximum length that must be written into the request to guarantee this reservation.
  std::optional<std::int64_t> set_max_tokens = {};
};

/// Returns the upper bound of the usage of a request. A model without a price costs nothing.
Reservation reservationFor(const RequestSize& request,
                           const Model& model,
                           const pricing::TokenPrices& prices);

/// Returns the actual cost of a request.
NanoDollars costOf(const TokenUsage& usage, const pricing::TokenPrices& prices);

}  // namespace spindle::inference
