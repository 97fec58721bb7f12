#pragma once

#include <string>
#include <string_view>

namespace spindle::engine {

/// Applies `strict` to a JSON schema: in all objects, at every depth, all properties are required
/// and no others are allowed. The input must be valid JSON.
std::string strictSchema(std::string_view schema);

}  // namespace spindle::engine
