#pragma once

#include <string>
#include <string_view>

namespace spindle::schema {

/// The lower-case hyphenated spelling, or why the text is no UUID.
struct UuidText {
  std::string canonical;
  std::string error;
};

/// Reads 8-4-4-4-12 groups, 32 plain digits, and both inside braces or behind `urn:uuid:`.
UuidText parseUuid(std::string_view text);

}  // namespace spindle::schema
