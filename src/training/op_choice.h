#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spindle::training {

/// Which ops somebody means who names them: those of just that name, and every version of what was
/// published under it in the project, as calls of SDKs refer to it. References, and names that end
/// in `:*`, stay what they are.
/// @param names as a filter of calls has them, references internal
std::vector<std::string> opsNamed(const std::vector<std::string>& names,
                                  std::string_view project_id);

}  // namespace spindle::training
