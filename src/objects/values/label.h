#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace spindle::objects {

// Rules for tags and aliases. @return kInvalidArgument that names the first invalid one.

/// Tags: words of letters, digits, `_` and `-` separated by single spaces; 1 to 256 characters.
Result<void> checkTags(const std::vector<std::string>& tags);

/// Aliases: 1 to 128 characters, not blank, without `/` and `:`; not `latest` and not `v` with
/// digits, because these identify versions.
Result<void> checkAliases(const std::vector<std::string>& aliases);

/// Object ids: letters, digits, `_`, `.` and `-`, at most 128. @return kUnprocessable for other
/// characters or an empty id, kInvalidArgument when it is too long.
Result<void> checkObjectId(std::string_view object_id);

}  // namespace spindle::objects
