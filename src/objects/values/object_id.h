#pragma once

#include <string>
#include <string_view>

namespace spindle::objects {

/// Returns the object id for a name (tracing.md §6.1): lower case, `_` for spaces and slashes,
/// without characters that an id cannot contain. May be empty.
std::string idFromName(std::string_view name);

}  // namespace spindle::objects
