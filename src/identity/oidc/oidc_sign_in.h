#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "base/crypto/sealer.h"
#include "identity/oidc/external_identity_repository.h"
#include "identity/oidc/oidc_provider.h"
#include "identity/types/user.h"

namespace spindle::identity {

struct OidcSignInOptions {
  std::string name;  ///< shown on the button; empty: the host of the issuer
  /// Domains of verified e-mail addresses that may sign in; empty: all users of the provider.
  std::vector<std::string> allowed_domains;
  ExternalUserRules users;
};

/// Signs people in with an OpenID Connect provider (authorization code with PKCE, state and nonce).
/// The values of a sign-in are sealed in a cookie, so an unauthenticated request stores nothing. A
/// sign-in is valid once and for ten minutes. Thread-safe; blocks on the provider and the database:
/// outbound threads only.
class OidcSignIn {
 public:
  static constexpr std::chrono::minutes kLifetime{10};

  /// `cookie_key` is derived from the server's secret key for this purpose only. The references
  /// must outlive this object.
  OidcSignIn(OidcSignInOptions options,
             OidcProvider& provider,
             ExternalIdentityRepository& identities,
             const Clock& clock,
             const Sha256& cookie_key);

  struct Started {
    std::string url;     ///< at the provider
    std::string cookie;  ///< value of the cookie of the browser
  };
  /// Starts a sign-in. `next` is the page to show afterwards; isNextPage() must accept it.
  /// @return kUpstream, kTimeout.
  Result<Started> start(std::string_view next, std::string_view redirect_uri);

  /// The parameters with which the provider sends the browser back.
  struct Answer {
    std::string code;
    std::string state;
    std::string error;   ///< of the provider; empty: none
    std::string issuer;  ///< RFC 9207; empty: not sent
  };
  struct Finished {
    User user;
    std::string next;
  };
  /// Finishes the sign-in whose cookie the browser has.
  /// @return kUnauthenticated: `state` for a cookie that is missing, outdated, used or of another
  /// sign-in, `cancelled` if the provider reports an error, else for an invalid code or token;
  /// kPermissionDenied: `domain`, `no_user`, `suspended`; kUpstream, kTimeout.
  Result<Finished> finish(const Answer& answer,
                          std::string_view cookie,
                          std::string_view redirect_uri);

  const std::string& name() const { return options_.name; }

 private:
  Result<void> checkDomain(const IdClaims& claims) const;

  const OidcSignInOptions options_;
  OidcProvider& provider_;
  ExternalIdentityRepository& identities_;
  const Clock& clock_;
  const Sealer sealer_;
};

/// Returns true for a page of the console of this server: `/console`, or a path, query or fragment
/// below it. Anything else could lead to another site.
bool isNextPage(std::string_view text);

}  // namespace spindle::identity
