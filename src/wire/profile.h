#pragma once

#include <string_view>

namespace spindle::wire {

/// The wire profile: which names responses use (setting `wire.profile`).
enum class Profile {
  kAuto,  ///< chosen per request: vendor names for the vendor's SDKs, else neutral names
  kNeutral,
  kVendor,
};

/// Returns true if a request header shows that the client is the vendor's SDK: either a header that
/// only this SDK sends, or its name in User-Agent.
bool isVendorSdkHeader(std::string_view header, std::string_view value);

}  // namespace spindle::wire
