#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spindle::evaluation {

/// The id under which something of that name is published (tracing.md §6.1): lower case, `_` for
/// spaces and slashes, without what an id cannot hold. Without a name it is `fallback`, as it is.
std::string objectIdOf(const std::optional<std::string>& name, std::string_view fallback);

/// The name part of a reference to an object, or empty when the text is none: what names a scorer
/// in the scores of a prediction.
std::optional<std::string> nameInRef(std::string_view ref);

}  // namespace spindle::evaluation
