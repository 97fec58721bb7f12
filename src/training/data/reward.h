#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spindle::training {

/// Returns the numbers at a path of member names and indexes (`output.scores.0`); empty if there
/// are none. true and false count as 1 and 0. For a path that ends in an array of strings, the last
/// step is a string to look for: 1 if the array contains it, else 0. An array of numbers gives all
/// of them. The empty path names the whole document.
std::vector<double> numbersAt(std::string json, std::string_view path);

/// Returns the numbers at a path in the newest feedback of a type: in its payload, or, if the path
/// starts with `scorer_ratings` or `scorer_tags`, in the scorer's results.
std::vector<double> feedbackNumbers(std::string list, std::string_view type, std::string_view path);

}  // namespace spindle::training
