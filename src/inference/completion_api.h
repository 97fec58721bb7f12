#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "http/route.h"

namespace spindle::http {
class Router;
}
namespace spindle::identity {
class Access;
}

namespace spindle::inference {

class Gateway;

/// What the routes work with. Everything must outlive the router and is thread-safe.
struct CompletionServices {
  Gateway& gateway;
  identity::Access& access;
  /// Whose usage it is when the request does not say: of the caller's first team; none when it has
  /// none. Blocks on the database, seldom.
  std::function<Result<std::optional<std::string>>(const http::Principal& caller)> default_team;
};

/// Adds `/v1/chat/completions` (with and without a slash at the end), `/v1/completions` and
/// `/v1/embeddings`.
void addCompletionRoutes(http::Router& router,
                         const CompletionServices& services,
                         const http::RoutePolicy& policy);

}  // namespace spindle::inference
