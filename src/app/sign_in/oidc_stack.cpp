#include "app/sign_in/oidc_stack.h"

#include <chrono>

#include "http/message/origin.h"
#include "http/message/uri.h"
#include "identity/types/team_role.h"

namespace spindle::app {
namespace {

/// Failed sign-ins per address; each may be a request to the provider.
constexpr identity::AttemptLimiter::Rate kOidcAttempts{60, std::chrono::seconds(2)};

std::string hostOf(const std::string& url) {
  const Result<http::Url> parsed = http::parseUrl(url);
  return parsed ? parsed->host : std::string();
}

/// Allows the host of the issuer, which the operator has chosen, and public addresses: the
/// provider's metadata names further endpoints.
http::EgressOptions providerTargets(const config::OidcSettings& settings) {
  http::EgressOptions options;
  options.allow_hosts.push_back(hostOf(settings.issuer));
  return options;
}

identity::OidcClient clientOf(const config::OidcSettings& settings) {
  return {settings.issuer, settings.client_id, settings.client_secret, settings.scopes};
}

identity::OidcSignInOptions optionsOf(const config::OidcSettings& settings) {
  identity::OidcSignInOptions options;
  options.name = settings.name.empty() ? hostOf(settings.issuer) : settings.name;
  options.allowed_domains = settings.allowed_domains;
  options.users.create_users = settings.create_users;
  options.users.team = settings.team;
  options.users.role = settings.role == config::OidcRole::kMember ? identity::TeamRole::kMember
                                                                  : identity::TeamRole::kViewer;
  return options;
}

}  // namespace

OidcStack::Provider::Provider(const config::OidcSettings& settings,
                              storage::Database& database,
                              const storage::KeyRing& key_ring,
                              const Clock& clock)
    : client(http::ClientOptions{}),
      policy(providerTargets(settings)),
      provider(clientOf(settings), client, policy, clock),
      identities(database, clock),
      sign_in(optionsOf(settings), provider, identities, clock, key_ring.derive("oidc")) {}

OidcStack::OidcStack(const config::Settings& settings,
                     storage::Database& database,
                     const storage::KeyRing& key_ring,
                     const Clock& clock,
                     const Clock& schedule,
                     cluster::SharedRates* shared_rates)
    : attempts_(kOidcAttempts, schedule, shared_rates, "oidc") {
  if (settings.oidc.issuer.empty()) return;
  provider_ = std::make_unique<Provider>(settings.oidc, database, key_ring, clock);
}

std::string baseUrlOf(const config::ServerSettings& settings, const http::Request& request) {
  return settings.public_url.empty() ? http::originOf(request) : settings.public_url;
}

}  // namespace spindle::app
