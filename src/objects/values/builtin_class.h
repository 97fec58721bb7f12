#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace spindle::objects {

/// Returns the names of the built-in classes.
std::vector<std::string> builtinClassNames();

/// Converts a value to an object of a built-in class and sets its `_type`, `_class_name` and
/// `_bases`. Keeps members that the class does not define. @return kInvalidArgument for an unknown
/// class, or for a value that lacks a member of the class or has one of another type. The text must
/// be valid JSON.
Result<std::string> asBuiltinObject(std::string_view class_name, std::string_view json);

}  // namespace spindle::objects
