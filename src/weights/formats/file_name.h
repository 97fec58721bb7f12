#pragma once

#include <string>
#include <string_view>

namespace spindle::weights {

/// Returns the last component of a path. Error messages use it because clients must not learn the
/// server's folders.
std::string fileNameOf(std::string_view path);

/// Returns a name from a file in a form safe for error messages: at most 80 bytes, with `?` for
/// every byte that is not printable ASCII.
std::string printableName(std::string_view name);

}  // namespace spindle::weights
