#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spindle::objects {

// What tags and aliases may look like. @return kInvalidArgument naming the first that may not.

/// Words of letters, digits, `_` and `-` with single spaces between them; 1 to 256 characters.
Result<void> checkTags(const std::vector<std::string>& tags);

/// 1 to 128 characters, not blank, without `/` and `:`; not `latest` and not `v` with digits, which
/// name versions themselves.
Result<void> checkAliases(const std::vector<std::string>& aliases);

/// Letters, digits, `_`, `.` and `-`, up to 128 of them.
/// @return kUnprocessable for other characters or none, kInvalidArgument when it is too long.
Result<void> checkObjectId(std::string_view object_id);

}  // namespace spindle::objects
