#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::tracing {

/// The text of the string at a path inside JSON; empty when there is none or it is no string. Parts
/// are names of members, or positions in lists.
std::optional<std::string> stringAt(std::string_view json, const std::vector<std::string>& path);

/// The text of the JSON value at a path; empty when there is none.
std::optional<std::string> jsonAt(std::string_view json, const std::vector<std::string>& path);

/// The JSON with the value at the path, which must be there, replaced.
std::string replacedAt(std::string_view json,
                       const std::vector<std::string>& path,
                       std::string_view replacement);

/// The value of a reference with the reference itself as its member `_ref`, when it is an object.
std::string withRef(std::string_view value, std::string_view ref);

}  // namespace spindle::tracing
