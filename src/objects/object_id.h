#pragma once

#include <string>
#include <string_view>

namespace spindle::objects {

/// The id under which something of that name is published (tracing.md §6.1): lower case, `_` for
/// spaces and slashes, without what an id cannot hold. May come out empty.
std::string idFromName(std::string_view name);

}  // namespace spindle::objects
