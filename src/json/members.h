#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "json/document.h"

// Lenient access to the members of a value that may not be an object.
namespace spindle::json {

/// Returns the member, or nothing if `object` is no object or has no such member.
std::optional<Node> memberOf(const Node& object, std::string_view name);

/// Returns the text of a member that is a string, else an empty text.
std::string textIn(const Node& object, std::string_view name);

/// Returns the value of a member that is an integer of 64 bits, else `otherwise`.
std::int64_t integerIn(const Node& object, std::string_view name, std::int64_t otherwise = 0);

/// Returns a member that is an object, else nothing.
std::optional<Node> objectIn(const Node& object, std::string_view name);

/// Returns a member that is an array, else nothing.
std::optional<Node> arrayIn(const Node& object, std::string_view name);

}  // namespace spindle::json
