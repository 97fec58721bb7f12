#pragma once

#include <cstdint>

#include "pricing/price.h"

namespace spindle::pricing {

/// Adds token counts and saturates instead of overflowing, because clients may report any number.
std::int64_t addTokens(std::int64_t a, std::int64_t b);

/// The usage of one model as reported by a call. Adds up the two names of each token count (prompt
/// and input, completion and output).
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

/// Multiplies usage by prices. Tokens read from or written to the cache are not charged as prompt
/// tokens. Does not clamp or round: a report with more cached than prompt tokens yields a negative
/// prompt cost.
Cost costOf(const Usage& usage, const TokenPrices& prices);

}  // namespace spindle::pricing
