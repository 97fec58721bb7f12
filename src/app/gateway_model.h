#pragma once

#include "evaluation/model_port.h"
#include "identity/access.h"
#include "identity/api_key_repository.h"
#include "inference/gateway_api.h"

namespace spindle::app {

/// Evaluations ask the models of the catalogue through the gateway, on behalf of the user and the
/// key that started the job, and those that it does not know where they used to. A request is
/// refused when the user has lost its access to the project or the key is no longer valid.
/// Thread-safe as what it is made of.
class GatewayModel final : public evaluation::ModelPort {
 public:
  /// All must outlive this.
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
