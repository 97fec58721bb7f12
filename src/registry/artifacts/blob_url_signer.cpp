#include "registry/artifacts/blob_url_signer.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

namespace spindle::registry {
namespace {

constexpr std::string_view kMark = "blob1";
constexpr std::size_t kParts = 7;

std::string_view useText(BlobUrlClaims::Use use) {
  return use == BlobUrlClaims::Use::kPut ? "put" : "get";
}

std::vector<std::string_view> splitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    if (end == text.size()) return lines;
    text.remove_prefix(end + 1);
  }
}

std::int64_t numberIn(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Error unknown() { return Error::notFound("Blob not found"); }

}  // namespace

std::string BlobUrlSigner::signatureOf(std::string_view text) const {
  const std::string_view key(reinterpret_cast<const char*>(key_.data()), key_.size());
  const Sha256 mac = hmacSha256(key, text);
  return encodeBase64Url({reinterpret_cast<const char*>(mac.data()), mac.size()});
}

std::string BlobUrlSigner::issue(const BlobUrlClaims& grant) const {
  std::string text(kMark);
  text.append("\n").append(useText(grant.use)).append("\n").append(grant.team_id);
  text.append("\n").append(std::to_string(grant.version_id));
  text.append("\n").append(grant.blob.digest);
  text.append("\n").append(std::to_string(grant.blob.size));
  text.append("\n").append(std::to_string(microsOf(grant.expires_at)));
  return encodeBase64Url(text) + "." + signatureOf(text);
}

Result<BlobUrlClaims> BlobUrlSigner::read(std::string_view token,
                                          BlobUrlClaims::Use use,
                                          Timestamp now) const {
  const std::size_t dot = token.find('.');
  if (dot == std::string_view::npos) return unknown();
  const std::optional<std::string> text = decodeBase64Url(token.substr(0, dot));
  if (!text || !equalInConstantTime(signatureOf(*text), token.substr(dot + 1))) return unknown();
  const std::vector<std::string_view> parts = splitLines(*text);
  if (parts.size() != kParts || parts[0] != kMark || parts[1] != useText(use)) return unknown();
  BlobUrlClaims grant;
  grant.use = use;
  grant.team_id = parts[2];
  grant.version_id = numberIn(parts[3]);
  grant.blob.digest = parts[4];
  grant.blob.size = numberIn(parts[5]);
  grant.expires_at = timestampOfMicros(numberIn(parts[6]));
  if (grant.expires_at <= now) {
    return Error::denied("This URL has expired; ask for a new one.").because("expired");
  }
  return grant;
}

}  // namespace spindle::registry
