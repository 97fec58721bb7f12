#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spindle::training {

/// Returns the op filters for a list of op names: each name itself, and a reference to every
/// version of the op published under that name in the project, as SDK calls record it. References,
/// and names that end in `:*`, stay unchanged.
/// @param names op_names of a call filter, with internal references
std::vector<std::string> opFiltersFor(const std::vector<std::string>& names,
                                      std::string_view project_id);

}  // namespace spindle::training
