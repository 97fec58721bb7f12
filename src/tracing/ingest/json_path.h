#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::tracing {

/// Returns the string at a path inside JSON; empty if the path does not exist or the value is not a
/// string. Path components are member names or list positions.
std::optional<std::string> stringAt(std::string_view json, const std::vector<std::string>& path);

/// Returns the JSON value at a path; empty if the path does not exist.
std::optional<std::string> jsonAt(std::string_view json, const std::vector<std::string>& path);

/// Returns the JSON with the value at the path replaced. The path must exist.
std::string replacedAt(std::string_view json,
                       const std::vector<std::string>& path,
                       std::string_view replacement);

/// Adds the member `_ref` with the reference to its value, if the value is an object.
std::string withRef(std::string_view value, std::string_view ref);

}  // namespace spindle::tracing
