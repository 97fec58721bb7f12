#pragma once

#include <string>
#include <string_view>

namespace spindle::schema {

/// The lower-case hyphenated form of a UUID, or the reason why the text is not a UUID.
struct UuidText {
  std::string canonical;
  std::string error;
};

/// Accepts groups of 8-4-4-4-12 digits or 32 digits without hyphens, also in braces or after
/// `urn:uuid:`.
UuidText parseUuid(std::string_view text);

}  // namespace spindle::schema
