#include "identity/oidc/oidc_provider.h"

#include <utility>

#include "base/crypto/crypto.h"
#include "http/client/egress_policy.h"
#include "http/client/name_lookup.h"
#include "http/message/uri.h"
#include "identity/oidc/json_members.h"

namespace spindle::identity {
namespace {

constexpr std::chrono::hours kCacheTime{1};
constexpr std::chrono::seconds kKeyRefreshInterval{30};
constexpr std::chrono::seconds kMetadataRetry{5};
constexpr std::chrono::seconds kProviderTimeout{10};
constexpr std::size_t kMaxProviderResponse = 256UL * 1024;

Error providerError(std::string_view why) {
  return Error(ErrorCode::kUpstream, "The identity provider " + std::string(why));
}

/// Appends `name=value` of a form or query, after `&` unless it is the first one.
void addField(std::string& form, std::string_view name, std::string_view value) {
  if (!form.empty() && form.back() != '?') form += '&';
  form.append(name).append("=").append(http::percentEncode(value));
}

}  // namespace

struct OidcProvider::Metadata {
  std::string issuer;
  std::string authorization_endpoint;
  std::string token_endpoint;
  std::string jwks_uri;
  bool basic = true;  ///< the token endpoint accepts the secret in the Authorization header
};

OidcProvider::OidcProvider(OidcClient client,
                           http::Client& http,
                           const http::EgressPolicy& policy,
                           const Clock& clock)
    : client_(std::move(client)), http_(http), policy_(policy), clock_(clock) {}
OidcProvider::~OidcProvider() = default;

bool OidcProvider::isIssuer(std::string_view text) const {
  if (text.ends_with('/')) text.remove_suffix(1);
  return text == client_.issuer;
}

Result<http::Response> OidcProvider::send(http::ClientRequest request) {
  const Result<http::Url> url = http::parseUrl(request.url);
  if (!url || url->scheme == http::Url::Scheme::kUnix) {
    return providerError("has an endpoint without a valid URL.");
  }
  const std::optional<std::string> literal = http::addressLiteral(url->host);
  const bool secure = url->scheme == http::Url::Scheme::kHttps;
  if (const std::optional<std::string> problem =
          policy_.problemOf(secure, url->host, literal, url->port)) {
    return providerError("has an endpoint that this server may not call: " + *problem);
  }
  request.timeout = kProviderTimeout;
  request.response_limit = kMaxProviderResponse;
  request.filter = [this, host = url->host](std::string_view address,
                                            std::uint16_t /*port*/) -> Result<void> {
    if (policy_.allowsAddress(host, address)) return {};
    return Error(ErrorCode::kPermissionDenied, "The address is not allowed.");
  };
  request.headers.add("Accept", "application/json");
  Result<http::Response> response = http_.fetch(std::move(request));
  if (!response && response.error().code() != ErrorCode::kTimeout) {
    return providerError("cannot be reached.");
  }
  return response;
}

Result<std::shared_ptr<const OidcProvider::Metadata>> OidcProvider::metadata() {
  const Timestamp now = clock_.now();
  {
    const MutexLock lock(mutex_);
    if (metadata_ && now - metadata_at_ < kCacheTime) return metadata_;
    if (metadata_error_ && now - metadata_at_ < kMetadataRetry) return *metadata_error_;
  }
  Result<Metadata> found = fetchMetadata();
  const MutexLock lock(mutex_);
  metadata_at_ = now;
  if (!found) {
    metadata_.reset();
    metadata_error_ = found.error();
    return std::move(found).error();
  }
  metadata_error_.reset();
  metadata_ = std::make_shared<const Metadata>(*std::move(found));
  return metadata_;
}

Result<OidcProvider::Metadata> OidcProvider::fetchMetadata() {
  http::ClientRequest request;
  request.url = client_.issuer + "/.well-known/openid-configuration";
  const http::Response response = TRY(send(std::move(request)));
  const std::optional<json::Document> document = parseObject(response.body);
  if (response.status != 200 || !document) return providerError("has no metadata.");
  const json::Node root = document->root();
  Metadata found;
  found.issuer = textMember(root, "issuer");
  if (!isIssuer(found.issuer)) {
    return providerError("has another issuer than auth.oidc.issuer.");
  }
  found.authorization_endpoint = textMember(root, "authorization_endpoint");
  found.token_endpoint = textMember(root, "token_endpoint");
  found.jwks_uri = textMember(root, "jwks_uri");
  constexpr std::string_view kMethods = "token_endpoint_auth_methods_supported";
  found.basic = !root.find(kMethods) || listsText(root, kMethods, "client_secret_basic");
  const Result<http::Url> login = http::parseUrl(found.authorization_endpoint);
  if (!login || found.token_endpoint.empty() || found.jwks_uri.empty()) {
    return providerError("has incomplete metadata.");
  }
  return found;
}

Result<std::shared_ptr<const JwkSet>> OidcProvider::keys(const Metadata& metadata) {
  {
    const MutexLock lock(mutex_);
    if (keys_ && clock_.now() - keys_at_ < kCacheTime) return keys_;
  }
  return fetchKeys(metadata);
}

bool OidcProvider::mayRefreshKeys() {
  const Timestamp now = clock_.now();
  const MutexLock lock(mutex_);
  if (keys_refreshed_at_ && now - *keys_refreshed_at_ < kKeyRefreshInterval) return false;
  keys_refreshed_at_ = now;
  return true;
}

Result<std::shared_ptr<const JwkSet>> OidcProvider::fetchKeys(const Metadata& metadata) {
  http::ClientRequest request;
  request.url = metadata.jwks_uri;
  http::Response response = TRY(send(std::move(request)));
  if (response.status != 200) return providerError("has no keys.");
  JwkSet parsed = TRY(JwkSet::parse(std::move(response.body)));
  const auto shared = std::make_shared<const JwkSet>(std::move(parsed));
  const MutexLock lock(mutex_);
  keys_ = shared;
  keys_at_ = clock_.now();
  return shared;
}

Result<std::string> OidcProvider::authorizationUrl(const OidcChallenge& challenge,
                                                   std::string_view redirect_uri) {
  const std::shared_ptr<const Metadata> provider = TRY(metadata());
  std::string url = provider->authorization_endpoint;
  url += url.find('?') == std::string::npos ? "?" : "&";
  const Sha256 digest = sha256(challenge.verifier);
  addField(url, "response_type", "code");
  addField(url, "client_id", client_.client_id);
  addField(url, "redirect_uri", redirect_uri);
  addField(url, "scope", client_.scopes);
  addField(url, "state", challenge.state);
  addField(url, "nonce", challenge.nonce);
  addField(url, "code_challenge",
           encodeBase64Url({reinterpret_cast<const char*>(digest.data()), digest.size()}));
  addField(url, "code_challenge_method", "S256");
  return url;
}

Result<std::string> OidcProvider::requestToken(const Metadata& metadata,
                                               std::string_view code,
                                               const OidcChallenge& challenge,
                                               std::string_view redirect_uri) {
  http::ClientRequest request;
  request.method = http::Method::kPost;
  request.url = metadata.token_endpoint;
  request.headers.add("Content-Type", "application/x-www-form-urlencoded");
  addField(request.body, "grant_type", "authorization_code");
  addField(request.body, "code", code);
  addField(request.body, "redirect_uri", redirect_uri);
  addField(request.body, "code_verifier", challenge.verifier);
  const bool basic = metadata.basic && !client_.client_secret.empty();
  if (basic) {
    // RFC 6749, 2.3.1: both parts are encoded as form values first.
    const std::string credentials = http::percentEncode(client_.client_id) + ":" +
                                    http::percentEncode(client_.client_secret.reveal());
    request.headers.add("Authorization", "Basic " + encodeBase64(credentials));
  } else {
    addField(request.body, "client_id", client_.client_id);
    if (!client_.client_secret.empty()) {
      addField(request.body, "client_secret", client_.client_secret.reveal());
    }
  }
  const http::Response response = TRY(send(std::move(request)));
  if (response.status >= 500) return providerError("failed.");
  const std::optional<json::Document> document = parseObject(response.body);
  if (response.status != 200 || !document) {
    return Error(ErrorCode::kUnauthenticated, "The identity provider refused the code.");
  }
  std::string token = textMember(document->root(), "id_token");
  if (token.empty()) return providerError("sent no ID token.");
  return token;
}

Result<IdClaims> OidcProvider::redeem(std::string_view code,
                                      const OidcChallenge& challenge,
                                      std::string_view redirect_uri) {
  const std::shared_ptr<const Metadata> provider = TRY(metadata());
  const std::string token = TRY(requestToken(*provider, code, challenge, redirect_uri));
  const IdTokenRules rules{.issuer = provider->issuer,
                           .client_id = client_.client_id,
                           .nonce = challenge.nonce,
                           .now = clock_.now()};
  const std::shared_ptr<const JwkSet> known = TRY(keys(*provider));
  Result<IdClaims> claims = verifyIdToken(token, *known, rules);
  if (claims || claims.error().reason() != kUnknownKey || !mayRefreshKeys()) return claims;
  const std::shared_ptr<const JwkSet> fresh = TRY(fetchKeys(*provider));
  return verifyIdToken(token, *fresh, rules);
}

}  // namespace spindle::identity
