#include "inference/limits/nano_dollars.h"

#include <algorithm>
#include <cmath>

namespace spindle::inference {
namespace {

constexpr double kNanosPerDollar = 1e9;

NanoDollars bounded(double nanos) {
  if (!(nanos > 0)) return 0;
  if (nanos >= static_cast<double>(kMaxNanoDollars)) return kMaxNanoDollars;
  return static_cast<NanoDollars>(nanos);
}

}  // namespace

NanoDollars costInNanoDollars(double usd) {
  // In binary, a price such as 1e-9 is not an exact number of nano-dollars. Ignore differences
  // below a millionth of a nano-dollar.
  return bounded(std::ceil(usd * kNanosPerDollar - 1e-6));
}

NanoDollars budgetInNanoDollars(double usd) {
  return bounded(std::floor(usd * kNanosPerDollar + 1e-6));
}

double usdOf(NanoDollars amount) { return static_cast<double>(amount) / kNanosPerDollar; }

NanoDollars addNanoDollars(NanoDollars a, NanoDollars b) {
  return std::min(kMaxNanoDollars, a + b);
}

}  // namespace spindle::inference
