#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"
#include "inference/adapter_directory.h"
#include "inference/completion_body_api.h"
#include "inference/limit_directory.h"
#include "inference/relay_client.h"
#include "pricing/price_choice.h"

namespace spindle::inference {

class ModelAccess;
class TraceSettingRepository;

/// What the gateway works with. Everything must outlive it and is thread-safe.
struct GatewayServices {
  RelayPorts relay;
  ModelDirectory& models;
  ModelAccess& model_access;
  AdapterDirectory* adapters = nullptr;  ///< null: none are served
  LimitDirectory& limits;
  LimitKeeper& keeper;
  TraceSettingRepository& tracing;
  /// Prices of the deployment, which budgets are counted at. Those of projects do not count here:
  /// members can set them.
  std::function<Result<std::shared_ptr<const pricing::ProjectPrices>>()> prices;
};

/// Whom a request comes from, and whom it counts for.
struct GatewayCaller {
  std::string user_id;  ///< required, also of requests that the server makes itself
  std::string key_id;
  std::string team_id;
  std::string project_id;
  std::string project;  ///< entity/project
  std::string request_id;
  std::string traceparent = {};
};

/// Lets requests in and sends them on: whether they make sense, to which model, within which
/// limits. Thread-safe. May block on the database, seldom: worker threads only.
class Gateway {
 public:
  Gateway(GatewayServices services, std::size_t json_depth);

  /// @return the promise of an answer. kInvalidSchema, kInvalidArgument; kUnauthenticated for a
  /// caller that names no user; kNotFound for a model that is not there or not for the caller;
  /// kRateLimited, kQuotaExceeded, kUnavailable.
  Result<http::Response> complete(Operation operation, std::string body, GatewayCaller caller);

  const schema::Codec<CompletionBody>& codec(Operation operation) const {
    return codecs_[static_cast<std::size_t>(operation)];
  }
  bool serves(std::string_view model) const {
    return services_.models.current()->find(model) != nullptr;
  }

 private:
  struct Chosen;

  Result<Chosen> choose(const GatewayCaller& caller,
                        const Directory& directory,
                        Operation operation,
                        const std::string& name) const;
  Result<void> admit(const CompletionBody& body, RelayRequest& request) const;

  const GatewayServices services_;
  const std::size_t json_depth_;
  const std::array<schema::Codec<CompletionBody>, 3> codecs_;
};

}  // namespace spindle::inference
