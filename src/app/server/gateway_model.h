#pragma once

#include "evaluation/scoring/model_port.h"
#include "identity/access/access.h"
#include "identity/store/api_key_repository.h"
#include "inference/gateway/gateway.h"

namespace spindle::app {

/// Sends the model requests of evaluations to the gateway, on behalf of the user and API key that
/// started the job. Requests for models that are neither in the catalogue nor an artifact go to
/// `others`. A request is refused when the user has lost access to the project or the API key is no
/// longer valid. Thread-safe if its parts are.
class GatewayModel final : public evaluation::ModelPort {
 public:
  /// All arguments must outlive this object.
  GatewayModel(inference::Gateway& gateway,
               identity::Access& access,
               identity::ApiKeyRepository& keys,
               evaluation::ModelPort& others)
      : gateway_(gateway), access_(access), keys_(keys), others_(others) {}

  Result<evaluation::ModelAnswer> complete(const evaluation::ModelRequest& request,
                                           const std::stop_token& stop) override;

 private:
  Result<inference::GatewayCaller> callerOf(const evaluation::ModelRequest& request) const;

  inference::Gateway& gateway_;
  identity::Access& access_;
  identity::ApiKeyRepository& keys_;
  evaluation::ModelPort& others_;
};

}  // namespace spindle::app
