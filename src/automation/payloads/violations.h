#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/core/error.h"

namespace spindle::automation {

/// The location of a violation, such as `body`, `event`, `metric`.
using Place = std::initializer_list<std::string_view>;

Violation violationAt(Place place, std::string_view type, std::string message);
/// Returns the violation of a required member that is missing.
Violation missingAt(Place place);
/// Returns the violation of a member that is not allowed.
Violation forbiddenAt(Place place);

}  // namespace spindle::automation
