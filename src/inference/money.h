#pragma once

#include <cstdint>

namespace spindle::inference {

/// Billionths of a US dollar. Sums of money are sums of these: whole numbers do not drift.
using NanoDollars = std::int64_t;

/// More than anybody has; what does not fit is this much.
inline constexpr NanoDollars kMostMoney = 1'000'000'000'000'000'000;

/// A cost, rounded up: what was used is never booked as less. Nothing below zero.
NanoDollars costInNanoDollars(double usd);
/// An allowance, rounded down. Nothing below zero.
NanoDollars allowanceInNanoDollars(double usd);
double usdOf(NanoDollars amount);

/// At most kMostMoney. Both parts are between 0 and that.
NanoDollars addMoney(NanoDollars a, NanoDollars b);

}  // namespace spindle::inference
