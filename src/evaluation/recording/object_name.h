#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spindle::evaluation {

/// Returns the object id for a name (tracing.md §6.1): lower case, `_` for spaces and slashes,
/// without characters that an id cannot have. Without a name, returns `fallback` unchanged.
std::string objectIdOf(const std::optional<std::string>& name, std::string_view fallback);

/// Returns the name in a reference to an object or op, or nothing for any other text. The scores of
/// a prediction use it as the name of the scorer.
std::optional<std::string> nameInRef(std::string_view ref);

}  // namespace spindle::evaluation
