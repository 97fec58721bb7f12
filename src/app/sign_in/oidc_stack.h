#pragma once

#include <memory>
#include <string>

#include "base/core/time.h"
#include "config/settings.h"
#include "http/client/client.h"
#include "http/client/egress_policy.h"
#include "http/message/message.h"
#include "identity/oidc/external_identity_repository.h"
#include "identity/oidc/oidc_provider.h"
#include "identity/oidc/oidc_sign_in.h"
#include "identity/sessions/attempt_limiter.h"
#include "storage/database/database.h"
#include "storage/folder/key_ring.h"

namespace spindle::app {

/// The identity provider of the settings, if there is one.
class OidcStack {
 public:
  /// The arguments must outlive this object. `schedule` is the clock of the limits of attempts,
  /// which `shared_rates` counts for all nodes unless it is null.
  OidcStack(const config::Settings& settings,
            storage::Database& database,
            const storage::KeyRing& key_ring,
            const Clock& clock,
            const Clock& schedule,
            cluster::SharedRates* shared_rates);

  /// Returns null if no provider is configured.
  identity::OidcSignIn* signIn() { return provider_ ? &provider_->sign_in : nullptr; }
  identity::AttemptLimiter& attempts() { return attempts_; }

 private:
  /// The provider and its client, which has a thread of its own. Members are constructed in this
  /// order and destroyed in reverse.
  struct Provider {
    Provider(const config::OidcSettings& settings,
             storage::Database& database,
             const storage::KeyRing& key_ring,
             const Clock& clock);

    http::Client client;
    const http::EgressPolicy policy;
    identity::OidcProvider provider;
    identity::ExternalIdentityRepository identities;
    identity::OidcSignIn sign_in;
  };

  std::unique_ptr<Provider> provider_;
  identity::AttemptLimiter attempts_;
};

/// Returns the URL at which the browser of a request reaches this server: `server.public_url`, else
/// as the request says. Without a slash at the end.
std::string baseUrlOf(const config::ServerSettings& settings, const http::Request& request);

}  // namespace spindle::app
