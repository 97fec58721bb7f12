#pragma once

#include <limits>

namespace spindle::trainer {

/// The logprob of a token for which the sampler reported none. Test with std::isnan().
inline constexpr double kUnknownLogprob = std::numeric_limits<double>::quiet_NaN();

}  // namespace spindle::trainer
