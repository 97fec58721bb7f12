#pragma once

#include <string>
#include <string_view>

namespace spindle::inference {

/// Assembles the events of a stream to the equivalent response without streaming. Ignores
/// everything that is no event of a completion.
std::string assembleCompletion(std::string_view events);

}  // namespace spindle::inference
