#pragma once

#include <string_view>

namespace spindle::wire {

/// Which spelling answers are written in.
enum class Profile {
  kAuto,  ///< that of the client: the vendor's for its SDKs, else the neutral one
  kNeutral,
  kVendor,
};

/// Whether a header field of a request shows that the vendor's SDK is asking: a header of its own,
/// or its name in User-Agent.
bool showsVendorSdk(std::string_view header, std::string_view value);

}  // namespace spindle::wire
