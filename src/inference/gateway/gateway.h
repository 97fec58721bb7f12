#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "http/message/message.h"
#include "inference/adapters/adapter_resolver.h"
#include "inference/gateway/completion_body.h"
#include "inference/gateway/relay.h"
#include "inference/limits/limit_cache.h"
#include "pricing/project_prices.h"

namespace spindle::inference {

class ModelAccess;
class TraceSettingRepository;

/// The services of the gateway. All must be thread-safe and outlive it.
struct GatewayServices {
  RelayPorts relay;
  CatalogueCache& models;
  ModelAccess& model_access;
  AdapterResolver* adapters = nullptr;  ///< null: adapters are not served
  LimitCache& limits;
  UsageLimiter& limiter;
  TraceSettingRepository& tracing;
  /// Returns the prices of the deployment, which determine the cost for budgets. Prices of projects
  /// do not count here, because members can set them.
  std::function<Result<std::shared_ptr<const pricing::ProjectPrices>>()> prices;
};

/// Validates model requests, finds their model, applies their limits and forwards them.
/// Thread-safe. Rarely needs the database: on an I/O thread, under NoBlocking, it then returns an
/// error, and the route runs again on a worker thread.
class Gateway {
 public:
  Gateway(GatewayServices services, std::size_t json_depth);

  /// Forwards a request. @return a response that is completed later; kInvalidSchema,
  /// kInvalidArgument; kUnauthenticated if the caller has no user; kNotFound for a model that does
  /// not exist or that the caller may not use; kRateLimited, kQuotaExceeded, kUnavailable.
  Result<http::Response> complete(Operation operation, std::string body, GatewayCaller caller);

  const schema::Codec<CompletionBody>& codec(Operation operation) const {
    return codecs_[static_cast<std::size_t>(operation)];
  }
  /// Returns true for a model of the catalogue and for the name of an artifact.
  bool serves(std::string_view model) const;

 private:
  struct Chosen;

  Result<Chosen> choose(const GatewayCaller& caller,
                        const CatalogueSnapshot& directory,
                        Operation operation,
                        const std::string& name) const;
  Result<void> admit(const CompletionBody& body, RelayRequest& request) const;

  const GatewayServices services_;
  const std::size_t json_depth_;
  const std::array<schema::Codec<CompletionBody>, 3> codecs_;
};

}  // namespace spindle::inference
