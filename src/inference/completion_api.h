#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"
#include "http/route.h"
#include "inference/adapter_directory.h"
#include "inference/relay_client.h"
#include "pricing/price_choice.h"

namespace spindle::http {
class Router;
}
namespace spindle::identity {
class Access;
}

namespace spindle::inference {

/// What a key and a project may use; null where there is no limit.
struct AppliedLimits {
  std::shared_ptr<const UsageLimit> of_key;
  std::shared_ptr<const UsageLimit> of_project;
};

/// What the routes work with. Everything must outlive the router and is thread-safe.
struct CompletionServices {
  RelayPorts relay;
  identity::Access& access;
  ModelDirectory& models;
  AdapterDirectory& adapters;
  LimitKeeper& limits;
  /// Where usage goes when the request does not say: the caller's first team; none when it has
  /// none. Blocks on the database, seldom.
  std::function<Result<std::optional<std::string>>(const http::Principal& caller)> default_team;
  std::function<AppliedLimits(std::string_view key_id, std::string_view project_id)> limits_of;
  /// Whether the completions of a project become calls.
  std::function<bool(std::string_view project_id)> is_traced;
  std::function<Result<std::shared_ptr<const pricing::ProjectPrices>>(std::string_view project_id)>
      prices;
};

/// Adds `/v1/chat/completions` (with and without a slash at the end), `/v1/completions` and
/// `/v1/embeddings`.
void addCompletionRoutes(http::Router& router,
                         const CompletionServices& services,
                         const http::RoutePolicy& policy);

}  // namespace spindle::inference
