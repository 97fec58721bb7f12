#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "automation/secret_store.h"
#include "automation/webhook.h"
#include "automation/webhook_client.h"
#include "base/time.h"

namespace spindle::automation {

/// What became of a test delivery. Nothing of it is kept.
struct ProbeReport {
  OutboundRequest request;  ///< credentials masked; empty when none could be made
  Attempt attempt;          ///< credentials that the endpoint sent back masked
};

/// Sends a payload to an endpoint once, now, as a delivery would. Thread-safe; blocks.
class WebhookProbe {
 public:
  /// `version` is that of the program.
  WebhookProbe(SecretStore& secrets,
               const WebhookClient& client,
               const Clock& clock,
               std::string version)
      : secrets_(secrets), client_(client), clock_(clock), version_(std::move(version)) {}

  /// The payload is a template; without an event, only credentials have values.
  /// @return the report, also of a failure on the way; kUnavailable.
  Result<ProbeReport> run(std::string_view team_id,
                          const WebhookSettings& webhook,
                          std::string_view payload);

 private:
  SecretStore& secrets_;
  const WebhookClient& client_;
  const Clock& clock_;
  const std::string version_;
};

}  // namespace spindle::automation
