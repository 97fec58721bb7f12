#pragma once

#include <string>
#include <string_view>

namespace spindle::http {

/// Returns the path of a request as logs may show it. A path parameter named `token` is a
/// credential and becomes `***`. So does every long segment of a path that no route matched: it may
/// be a credential that was sent to the wrong place. `route` is the template, empty for none.
std::string loggedPath(std::string_view path, std::string_view route);

}  // namespace spindle::http
