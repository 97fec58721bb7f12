#pragma once

#include <string>
#include <string_view>

namespace spindle::engine {

/// The JSON schema with all properties of its objects required and no others allowed, wherever they
/// stand in it: what `strict` means. The input must be valid JSON.
std::string strictSchema(std::string_view schema);

}  // namespace spindle::engine
