#pragma once

#include <cstdint>

#include "pricing/price.h"

namespace spindle::pricing {

/// A sum of token counts that stops at the largest number instead of overflowing: clients may
/// report anything.
std::int64_t addTokens(std::int64_t a, std::int64_t b);

/// What a call says it has used of one model; the two names that token counts go by are added up.
struct Usage {
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  std::int64_t requests = 0;
  std::int64_t total_tokens = 0;  ///< as reported
  std::int64_t cache_creation_input_tokens = 0;
  std::int64_t cache_read_input_tokens = 0;

  Usage& operator+=(const Usage& other);
  bool operator==(const Usage&) const = default;
};

struct Cost {
  double prompt = 0;
  double completion = 0;
  double cache_read = 0;
  double cache_creation = 0;

  double total() const { return prompt + completion + cache_read + cache_creation; }
};

/// Tokens that came from or went into the cache are not paid for as prompt tokens. Nothing is
/// clamped or rounded: a report of more cached than prompt tokens costs less than nothing.
Cost costOf(const Usage& usage, const TokenPrices& prices);

}  // namespace spindle::pricing
