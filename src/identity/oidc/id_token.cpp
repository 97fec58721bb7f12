#include "identity/oidc/id_token.h"

#include <cmath>
#include <optional>
#include <utility>

#include "base/crypto/crypto.h"
#include "identity/oidc/json_members.h"
#include "identity/oidc/jwk_set.h"

namespace spindle::identity {
namespace {

constexpr std::size_t kMaxTokenBytes = 16UL * 1024;
constexpr std::size_t kMaxSubject = 255;

Error invalidToken(std::string_view why) {
  return Error(ErrorCode::kUnauthenticated, "The ID token is not valid: " + std::string(why));
}

/// The three parts of a signed token, decoded, and the text that was signed.
struct TokenParts {
  json::Document header;
  json::Document claims;
  std::string signature;
  std::string_view signed_text;
};

Result<TokenParts> split(std::string_view token) {
  if (token.size() > kMaxTokenBytes) return invalidToken("it is too long");
  if (token.find('=') != std::string_view::npos) return invalidToken("it has padding");
  const std::size_t first = token.find('.');
  const std::size_t second = first == std::string_view::npos ? first : token.find('.', first + 1);
  if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos) {
    return invalidToken("it does not have three parts");
  }
  std::optional<std::string> header = decodeBase64Url(token.substr(0, first));
  std::optional<std::string> claims = decodeBase64Url(token.substr(first + 1, second - first - 1));
  std::optional<std::string> signature = decodeBase64Url(token.substr(second + 1));
  if (!header || !claims || !signature) return invalidToken("a part is not Base64");
  std::optional<json::Document> header_object = parseObject(*std::move(header));
  std::optional<json::Document> claims_object = parseObject(*std::move(claims));
  if (!header_object || !claims_object) return invalidToken("a part is not a JSON object");
  return TokenParts{*std::move(header_object), *std::move(claims_object), *std::move(signature),
                    token.substr(0, second)};
}

std::optional<SignatureAlgorithm> algorithmOf(std::string_view name) {
  if (name == "RS256") return SignatureAlgorithm::kRs256;
  if (name == "ES256") return SignatureAlgorithm::kEs256;
  return std::nullopt;
}

Result<void> checkSignature(const TokenParts& parts, const JwkSet& keys) {
  const json::Node header = parts.header.root();
  const std::optional<SignatureAlgorithm> algorithm = algorithmOf(textMember(header, "alg"));
  if (!algorithm) return invalidToken("its algorithm is not accepted");
  if (header.find("crit")) return invalidToken("it has critical extensions");
  const std::optional<json::Node> key_id = header.find("kid");
  if (key_id && !key_id->isString()) return invalidToken("its key id is not a text");
  std::optional<std::string> wanted;
  if (key_id) wanted = key_id->text();
  const std::optional<PublicKey> key = keys.find(wanted, *algorithm);
  if (!key) return invalidToken("its key is unknown").because(kUnknownKey);
  if (!key->verifies(parts.signed_text, parts.signature)) {
    return invalidToken("its signature is wrong");
  }
  return {};
}

/// Returns a time claim (seconds since 1970), or nothing if it is absent or not a finite number.
std::optional<Timestamp> timeClaim(const json::Node& claims, std::string_view name) {
  const std::optional<json::Node> claim = claims.find(name);
  if (!claim || !claim->isNumber()) return std::nullopt;
  constexpr double kMaxSeconds = 1e11;
  const double seconds = claim->number();
  if (!std::isfinite(seconds) || std::abs(seconds) > kMaxSeconds) return std::nullopt;
  return timestampOfMicros(static_cast<std::int64_t>(seconds * 1e6));
}

Result<void> checkTimes(const json::Node& claims, const IdTokenRules& rules) {
  const std::optional<Timestamp> expires = timeClaim(claims, "exp");
  if (!expires || *expires <= rules.now - rules.leeway) return invalidToken("it has expired");
  const std::optional<Timestamp> issued = timeClaim(claims, "iat");
  if (!issued || *issued > rules.now + rules.leeway) return invalidToken("it is from the future");
  if (!claims.find("nbf")) return {};
  const std::optional<Timestamp> not_before = timeClaim(claims, "nbf");
  if (!not_before || *not_before > rules.now + rules.leeway) {
    return invalidToken("it is not valid yet");
  }
  return {};
}

Result<void> checkAudience(const json::Node& claims, const IdTokenRules& rules) {
  if (!listsText(claims, "aud", rules.client_id)) return invalidToken("it is for another client");
  const std::optional<json::Node> party = claims.find("azp");
  const std::optional<json::Node> audience = claims.find("aud");
  const bool several = audience->isArray() && audience->size() > 1;
  if (!party && !several) return {};
  if (!party || !party->isString() || !party->textEquals(rules.client_id)) {
    return invalidToken("it is for another party");
  }
  return {};
}

}  // namespace

Result<IdClaims> verifyIdToken(std::string_view token,
                               const JwkSet& keys,
                               const IdTokenRules& rules) {
  const TokenParts parts = TRY(split(token));
  TRY(checkSignature(parts, keys));
  const json::Node claims = parts.claims.root();
  if (textMember(claims, "iss") != rules.issuer) return invalidToken("it is of another issuer");
  TRY(checkAudience(claims, rules));
  TRY(checkTimes(claims, rules));
  if (rules.nonce.empty() || !equalInConstantTime(textMember(claims, "nonce"), rules.nonce)) {
    return invalidToken("its nonce is wrong");
  }
  IdClaims found;
  found.issuer = rules.issuer;
  found.subject = textMember(claims, "sub");
  if (found.subject.empty() || found.subject.size() > kMaxSubject) {
    return invalidToken("it names no user");
  }
  found.email = textMember(claims, "email");
  const std::optional<json::Node> verified = claims.find("email_verified");
  found.email_verified = verified && verified->isBool() && verified->boolean();
  found.name = textMember(claims, "name");
  found.preferred_username = textMember(claims, "preferred_username");
  return found;
}

}  // namespace spindle::identity
