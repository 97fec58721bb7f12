#pragma once

#include <string>
#include <string_view>

namespace spindle::inference {

/// The answer that the events of a stream add up to, in the shape of one that came whole. What is
/// no event of a completion is left out.
std::string wholeAnswerOf(std::string_view events);

}  // namespace spindle::inference
