#pragma once

#include <utility>

#include "http/router/parameters.h"
#include "schema/scalar.h"

namespace spindle::identity {

/// Adds the path parameter `team` to the parameters of P, which has a member of this name.
template <class P>
http::Parameters<P> inTeam(http::Parameters<P> parameters = {}) {
  parameters.path("team", &P::team, schema::string(), "Name of the team.");
  return parameters;
}

}  // namespace spindle::identity
