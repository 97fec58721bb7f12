#pragma once

#include "evaluation/model_port.h"
#include "identity/project_repository.h"
#include "inference/gateway_api.h"

namespace spindle::app {

/// Evaluations ask the models of the catalogue through the gateway, and those that it does not know
/// where they used to. Thread-safe as what it is made of.
class GatewayModel final : public evaluation::ModelPort {
 public:
  /// All must outlive this.
  GatewayModel(inference::Gateway& gateway,
               identity::ProjectRepository& projects,
               evaluation::ModelPort& others)
      : gateway_(gateway), projects_(projects), others_(others) {}

  Result<evaluation::ModelAnswer> complete(const evaluation::ModelRequest& request,
                                           const std::stop_token& stop) override;

 private:
  inference::Gateway& gateway_;
  identity::ProjectRepository& projects_;
  evaluation::ModelPort& others_;
};

}  // namespace spindle::app
