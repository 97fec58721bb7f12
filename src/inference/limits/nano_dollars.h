#pragma once

#include <cstdint>

namespace spindle::inference {

/// Billionths of a US dollar. Integers avoid the rounding errors of sums.
using NanoDollars = std::int64_t;

/// The maximum amount; larger amounts are limited to it.
inline constexpr NanoDollars kMaxNanoDollars = 1'000'000'000'000'000'000;

/// Converts a cost and rounds it up, so that usage never counts too little. At least zero.
NanoDollars costInNanoDollars(double usd);
/// Converts a budget and rounds it down. At least zero.
NanoDollars budgetInNanoDollars(double usd);
double usdOf(NanoDollars amount);

/// Adds two amounts between 0 and kMaxNanoDollars. Returns at most kMaxNanoDollars.
NanoDollars addNanoDollars(NanoDollars a, NanoDollars b);

}  // namespace spindle::inference
