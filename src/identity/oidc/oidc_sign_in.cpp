#include "identity/oidc/oidc_sign_in.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/crypto/crypto.h"
#include "identity/oidc/json_members.h"
#include "identity/types/names.h"
#include "json/writer.h"

namespace spindle::identity {
namespace {

constexpr std::string_view kCookieContext = "oidc-sign-in";
constexpr std::size_t kMaxNextPage = 1024;
constexpr std::size_t kMaxAnswer = 4096;

std::string randomToken() {
  std::array<char, 32> bytes{};
  randomBytes(bytes.data(), bytes.size());
  return encodeBase64Url({bytes.data(), bytes.size()});
}

/// The values of a sign-in, as the cookie holds them.
struct PendingSignIn {
  OidcChallenge challenge;
  std::string next;
  Timestamp expires_at;
};

std::string cookieText(const PendingSignIn& pending) {
  std::string text;
  json::Writer(text)
      .beginObject()
      .key("state")
      .string(pending.challenge.state)
      .key("nonce")
      .string(pending.challenge.nonce)
      .key("verifier")
      .string(pending.challenge.verifier)
      .key("next")
      .string(pending.next)
      .key("expires")
      .integer(microsOf(pending.expires_at))
      .endObject();
  return text;
}

std::optional<PendingSignIn> pendingOf(const std::optional<Secret>& cookie) {
  if (!cookie) return std::nullopt;
  const std::optional<json::Document> document = parseObject(std::string(cookie->reveal()));
  if (!document) return std::nullopt;
  const json::Node root = document->root();
  PendingSignIn pending;
  pending.challenge = {textMember(root, "state"), textMember(root, "nonce"),
                       textMember(root, "verifier")};
  pending.next = textMember(root, "next");
  pending.expires_at = timestampOfMicros(root.find("expires")->integer().value_or(0));
  return pending;
}

Error stateError() {
  return Error(ErrorCode::kUnauthenticated,
               "This sign-in has expired or was started in another browser.")
      .because("state");
}

}  // namespace

bool isNextPage(std::string_view text) {
  constexpr std::string_view kConsole = "/console";
  if (text.size() > kMaxNextPage || !text.starts_with(kConsole)) return false;
  const std::string_view rest = text.substr(kConsole.size());
  if (!rest.empty() && rest.front() != '/' && rest.front() != '?' && rest.front() != '#') {
    return false;
  }
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c > ' ' && c < 0x7F && c != '\\' && c != '"'; });
}

OidcSignIn::OidcSignIn(OidcSignInOptions options,
                       OidcProvider& provider,
                       ExternalIdentityRepository& identities,
                       const Clock& clock,
                       const Sha256& cookie_key)
    : options_(std::move(options)),
      provider_(provider),
      identities_(identities),
      clock_(clock),
      sealer_(cookie_key) {}

Result<OidcSignIn::Started> OidcSignIn::start(std::string_view next,
                                              std::string_view redirect_uri) {
  PendingSignIn pending;
  pending.challenge = {randomToken(), randomToken(), randomToken()};
  pending.next = std::string(next);
  pending.expires_at = clock_.now() + kLifetime;
  std::string url = TRY(provider_.authorizationUrl(pending.challenge, redirect_uri));
  return Started{std::move(url), sealer_.seal(Secret(cookieText(pending)), kCookieContext)};
}

Result<void> OidcSignIn::checkDomain(const IdClaims& claims) const {
  if (options_.allowed_domains.empty()) return {};
  const std::size_t at = claims.email.rfind('@');
  if (claims.email_verified && at != std::string::npos) {
    const std::string domain = foldCase(claims.email.substr(at + 1));
    const auto& allowed = options_.allowed_domains;
    const bool listed = std::any_of(allowed.begin(), allowed.end(), [&](const std::string& each) {
      return foldCase(each) == domain;
    });
    if (listed) return {};
  }
  return Error(ErrorCode::kPermissionDenied, "This e-mail address may not sign in.")
      .because("domain");
}

Result<OidcSignIn::Finished> OidcSignIn::finish(const Answer& answer,
                                                std::string_view cookie,
                                                std::string_view redirect_uri) {
  const std::optional<PendingSignIn> pending = pendingOf(sealer_.open(cookie, kCookieContext));
  if (!pending || pending->expires_at <= clock_.now() ||
      !equalInConstantTime(answer.state, pending->challenge.state)) {
    return stateError();
  }
  if (!answer.issuer.empty() && !provider_.isIssuer(answer.issuer)) return stateError();
  if (!answer.error.empty()) {
    return Error(ErrorCode::kUnauthenticated, "The identity provider refused the sign-in.")
        .because("cancelled");
  }
  if (answer.code.empty() || answer.code.size() > kMaxAnswer) return stateError();
  const IdClaims claims = TRY(provider_.redeem(answer.code, pending->challenge, redirect_uri));
  TRY(checkDomain(claims));
  ExternalIdentity identity;
  identity.issuer = claims.issuer;
  identity.subject = claims.subject;
  if (claims.email_verified && isEmail(claims.email)) identity.email = claims.email;
  identity.name = claims.name;
  identity.username_hint =
      claims.preferred_username.empty() ? claims.email : claims.preferred_username;
  User user = TRY(
      identities_.signIn(identity, options_.users, pending->challenge.state, pending->expires_at));
  return Finished{std::move(user), pending->next};
}

}  // namespace spindle::identity
