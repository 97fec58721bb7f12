#include "http/message/forwarded.h"

#include <algorithm>

namespace spindle::http {
namespace {

constexpr std::string_view kForwardedFamily = "X-Forwarded-";

bool isProxyField(std::string_view name) {
  return equalIgnoringCase(name.substr(0, kForwardedFamily.size()), kForwardedFamily) ||
         equalIgnoringCase(name, "Forwarded") || equalIgnoringCase(name, "Via") ||
         equalIgnoringCase(name, "X-Real-IP");
}

}  // namespace

bool wasForwarded(const Headers& headers) {
  return std::any_of(headers.begin(), headers.end(),
                     [](const Headers::Field& field) { return isProxyField(field.first); });
}

}  // namespace spindle::http
