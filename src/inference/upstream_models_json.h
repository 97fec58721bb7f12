#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace spindle::inference {

/// The names in `{"object":"list","data":[{"id":…}]}`, up to `most`; nothing for any other text.
std::optional<std::vector<std::string>> modelNamesIn(std::string text, std::size_t most);

/// The message of `{"error":{"message":…}}`, or of `{"detail":…}` and the like; else the text
/// itself.
std::string messageIn(const std::string& text);

}  // namespace spindle::inference
