#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http/router/parameters.h"
#include "schema/scalar.h"

// Parts that the requests of several routes have in common.
namespace spindle::identity {

/// Adds the path parameter `team` to the parameters of P, which has a member of this name.
template <class P>
http::Parameters<P> inTeam(http::Parameters<P> parameters = {}) {
  parameters.path("team", &P::team, schema::string(), "Name of the team.");
  return parameters;
}

/// Returns the codec of the name of a new user, team or project.
inline schema::Codec<std::string> nameCodec(std::size_t max_length, std::string_view pattern) {
  return schema::string({.min_length = 1, .max_length = max_length, .pattern = pattern});
}

}  // namespace spindle::identity
