#pragma once

#include <string>
#include <string_view>

namespace spindle::identity {

/// Returns the name of the first operation of a GraphQL document: `Project` for `query
/// Project($name: …) {…}`. Empty when the operation has no name.
std::string operationName(std::string_view document);

}  // namespace spindle::identity
