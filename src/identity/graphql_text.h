#pragma once

#include <string>
#include <string_view>

namespace spindle::identity {

/// The name of the first operation of a GraphQL document: `Project` of `query Project($name: …)
/// {…}`. Empty for a document whose operation has no name.
std::string operationName(std::string_view document);

}  // namespace spindle::identity
