#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "automation/webhooks/secret_store.h"
#include "automation/webhooks/webhook.h"
#include "automation/webhooks/webhook_client.h"
#include "base/core/time.h"

namespace spindle::automation {

/// The outcome of a test delivery. It is not stored.
struct ProbeReport {
  OutboundRequest request;  ///< credentials masked; empty if no request could be made
  Attempt attempt;          ///< echoed credentials masked
};

/// Sends a test delivery: one request, at once, in the format of a delivery. Thread-safe; blocks.
class WebhookProbe {
 public:
  /// `version` is the program's version.
  WebhookProbe(SecretStore& secrets,
               const WebhookClient& client,
               const Clock& clock,
               std::string version)
      : secrets_(secrets), client_(client), clock_(clock), version_(std::move(version)) {}

  /// Renders the payload template and sends it. Without an event, only credentials have values.
  /// @return the report, also for a failed request; kUnavailable.
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
