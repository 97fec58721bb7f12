#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace spindle::inference {

/// Returns up to `most` names in `{"object":"list","data":[{"id":…}]}`, or nothing for other texts.
std::optional<std::vector<std::string>> modelNamesIn(std::string text, std::size_t most);

/// Returns the message of `{"error":{"message":…}}`, `{"detail":…}` or similar; otherwise the text
/// itself.
std::string messageIn(const std::string& text);

}  // namespace spindle::inference
