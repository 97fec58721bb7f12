#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "base/core/time.h"
#include "base/crypto/secret.h"
#include "http/client/client.h"
#include "identity/oidc/id_token.h"
#include "identity/oidc/jwk_set.h"

namespace spindle::http {
class EgressPolicy;
}  // namespace spindle::http

namespace spindle::identity {

/// This server as a client of an identity provider.
struct OidcClient {
  /// The URL that the provider's metadata and tokens name, without a slash at the end.
  std::string issuer;
  std::string client_id;
  Secret client_secret;  ///< empty: a public client
  std::string scopes = "openid profile email";
};

/// The values of one sign-in that the browser must bring back.
struct OidcChallenge {
  std::string state;
  std::string nonce;
  std::string verifier;  ///< of PKCE
};

/// An OpenID Connect provider: its metadata, its keys and its token endpoint. Metadata and keys are
/// fetched when needed and cached for an hour. A token with an unknown key fetches the keys again,
/// at most every 30 seconds; metadata that could not be fetched is tried again after 5 seconds.
/// Thread-safe; blocks on the provider: outbound threads only.
class OidcProvider {
 public:
  /// `policy` decides which addresses are called. All references must outlive this object.
  OidcProvider(OidcClient client,
               http::Client& http,
               const http::EgressPolicy& policy,
               const Clock& clock);
  ~OidcProvider();

  /// Returns the URL of the provider that starts the authorization code flow with PKCE (S256).
  /// @return kUpstream, kTimeout.
  Result<std::string> authorizationUrl(const OidcChallenge& challenge,
                                       std::string_view redirect_uri);

  /// Exchanges a code and verifies the ID token.
  /// @return kUnauthenticated for a refused code or an invalid token, kUpstream, kTimeout.
  Result<IdClaims> redeem(std::string_view code,
                          const OidcChallenge& challenge,
                          std::string_view redirect_uri);

  /// Returns true for the URL of the issuer, with or without a slash at the end.
  bool isIssuer(std::string_view text) const;

 private:
  struct Metadata;

  /// Returns the metadata, from the cache if possible.
  Result<std::shared_ptr<const Metadata>> metadata();
  Result<Metadata> fetchMetadata();
  /// Returns the keys, from the cache if possible.
  Result<std::shared_ptr<const JwkSet>> keys(const Metadata& metadata);
  Result<std::shared_ptr<const JwkSet>> fetchKeys(const Metadata& metadata);
  /// Returns true if the keys may be fetched again because of an unknown key, and counts that.
  bool mayRefreshKeys();
  Result<std::string> requestToken(const Metadata& metadata,
                                   std::string_view code,
                                   const OidcChallenge& challenge,
                                   std::string_view redirect_uri);
  /// Sends a request that the policy allows.
  Result<http::Response> send(http::ClientRequest request);

  const OidcClient client_;
  http::Client& http_;
  const http::EgressPolicy& policy_;
  const Clock& clock_;

  Mutex mutex_;
  std::shared_ptr<const Metadata> metadata_ SPINDLE_GUARDED_BY(mutex_);
  Timestamp metadata_at_ SPINDLE_GUARDED_BY(mutex_);
  std::optional<Error> metadata_error_ SPINDLE_GUARDED_BY(mutex_);  ///< of the last attempt
  std::shared_ptr<const JwkSet> keys_ SPINDLE_GUARDED_BY(mutex_);
  Timestamp keys_at_ SPINDLE_GUARDED_BY(mutex_);
  std::optional<Timestamp> keys_refreshed_at_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::identity
