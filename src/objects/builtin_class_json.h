#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spindle::objects {

/// The names of the classes that the platform itself knows.
std::vector<std::string> builtinClassNames();

/// A value as an object of one of the classes that the platform itself knows, with its `_type`,
/// `_class_name` and `_bases` filled in. Members that the class does not name stay.
/// @return kInvalidArgument for an unknown class, or a value that lacks a member of the class or
/// has one of another type. The text must be valid JSON.
Result<std::string> asBuiltinObject(std::string_view class_name, std::string_view json);

}  // namespace spindle::objects
