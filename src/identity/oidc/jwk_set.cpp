#include "identity/oidc/jwk_set.h"

#include <utility>

#include "base/crypto/crypto.h"
#include "identity/oidc/json_members.h"

namespace spindle::identity {
namespace {

constexpr std::size_t kMaxKeys = 100;

/// Returns the bytes of a member in Base64 for URLs; empty if it is absent or invalid.
std::string bytesMember(const json::Node& object, std::string_view name) {
  return decodeBase64Url(textMember(object, name)).value_or("");
}

std::optional<PublicKey> publicKeyOf(const json::Node& jwk) {
  const std::string use = textMember(jwk, "use");
  if (!use.empty() && use != "sig") return std::nullopt;
  const std::string type = textMember(jwk, "kty");
  const std::string algorithm = textMember(jwk, "alg");
  if (type == "RSA" && (algorithm.empty() || algorithm == "RS256")) {
    return PublicKey::rsa(bytesMember(jwk, "n"), bytesMember(jwk, "e"));
  }
  if (type == "EC" && (algorithm.empty() || algorithm == "ES256") &&
      textMember(jwk, "crv") == "P-256") {
    return PublicKey::p256(bytesMember(jwk, "x"), bytesMember(jwk, "y"));
  }
  return std::nullopt;
}

}  // namespace

Result<JwkSet> JwkSet::parse(std::string text) {
  const Error invalid(ErrorCode::kUpstream, "The identity provider sent no valid key set.");
  const std::optional<json::Document> document = parseObject(std::move(text));
  if (!document) return invalid;
  const std::optional<json::Node> keys = document->root().find("keys");
  if (!keys || !keys->isArray() || keys->size() > kMaxKeys) return invalid;
  JwkSet set;
  for (const json::Node jwk : *keys) {
    if (!jwk.isObject()) return invalid;
    std::optional<PublicKey> key = publicKeyOf(jwk);
    if (key) set.entries_.push_back({textMember(jwk, "kid"), *std::move(key)});
  }
  return set;
}

std::optional<PublicKey> JwkSet::find(const std::optional<std::string>& key_id,
                                      SignatureAlgorithm algorithm) const {
  std::optional<PublicKey> found;
  for (const Entry& entry : entries_) {
    if (entry.key.algorithm() != algorithm || (key_id && entry.key_id != *key_id)) continue;
    if (found) return std::nullopt;
    found = entry.key;
  }
  return found;
}

}  // namespace spindle::identity
