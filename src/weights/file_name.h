#pragma once

#include <string>
#include <string_view>

namespace spindle::weights {

/// Returns the last component of a path. Error texts name files by it: they reach callers, who must
/// not learn the folders of the server.
std::string fileNameOf(std::string_view path);

/// Returns a name out of a file as error texts can show it: at most 80 bytes, with `?` for all that
/// is not printable ASCII.
std::string printableName(std::string_view name);

}  // namespace spindle::weights
