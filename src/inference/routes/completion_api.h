#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/core/result.h"
#include "http/router/forward.h"
#include "http/router/route.h"

namespace spindle::identity {
class Access;
}

namespace spindle::inference {

class Gateway;

/// The services of the completion routes. All must be thread-safe and outlive the router.
struct CompletionServices {
  Gateway& gateway;
  identity::Access& access;
  /// Returns the team that the usage counts for if the request names no project: the principal's
  /// first team, or nothing if it has none. Rarely blocks on the database.
  std::function<Result<std::optional<std::string>>(const http::Principal& caller)> default_team;
};

using CompletionRoutes = http::RouteGroup<CompletionServices>;

/// Adds the routes `/v1/chat/completions` (with and without a trailing slash), `/v1/completions`
/// and `/v1/embeddings`.
void addCompletionRoutes(const CompletionRoutes& routes);

}  // namespace spindle::inference
