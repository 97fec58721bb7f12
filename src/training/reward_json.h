#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spindle::training {

/// The number at a path of members and positions (`output.scores.0`), where it is one; true and
/// false count as 1 and 0, and so does whether a list of texts holds the one that the path ends
/// with. A list of such numbers is all of them. An empty path is the whole. Empty when there is
/// none.
std::vector<double> numbersAt(std::string json, std::string_view path);

/// The same in the newest of a list of feedback that has this type: in its payload, or with a path
/// that begins with `scorer_ratings` or `scorer_tags` in what its scorer said.
std::vector<double> feedbackNumbers(std::string list, std::string_view type, std::string_view path);

}  // namespace spindle::training
