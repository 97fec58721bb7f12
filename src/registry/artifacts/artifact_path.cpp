#include "registry/artifacts/artifact_path.h"

#include <algorithm>
#include <vector>

#include "base/crypto/crypto.h"
#include "registry/artifacts/names.h"
#include "wire/spelling.h"

namespace spindle::registry {
namespace {

constexpr std::string_view kIdHost = "_id/";
constexpr std::string_view kIdWord = "Artifact:";

Error broken() {
  return Error::invalidArgument(
      "expected entity/project/name:version, svc-artifact:///entity/project/name:"
      "version or svc-artifact://_id/<id>");
}

/// Returns the number in `Artifact:12`.
std::optional<std::int64_t> idInText(const std::optional<std::string>& text) {
  if (!text || !text->starts_with(kIdWord)) return std::nullopt;
  return artifactIdOf("art_" + text->substr(kIdWord.size()));
}

std::optional<std::string> decodeHex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]);
    const int low = digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

/// Returns the text after `svc-artifact://`, in either wire profile.
std::optional<std::string_view> afterScheme(std::string_view text) {
  for (const wire::Spelling spelling : {wire::Spelling::kNeutral, wire::Spelling::kVendor}) {
    std::string_view scheme = wire::schemeText(wire::RefScheme::kArtifact, spelling);
    scheme.remove_suffix(1);
    if (text.starts_with(scheme)) return text.substr(scheme.size());
  }
  return std::nullopt;
}

Result<ArtifactPath> parseNames(std::string_view text) {
  ArtifactPath path;
  const std::size_t colon = std::min(text.find(':'), text.size());
  path.has_version = colon < text.size();
  if (path.has_version) path.version = text.substr(colon + 1);
  std::string_view names = text.substr(0, colon);
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = std::min(names.find('/'), names.size());
    parts.push_back(names.substr(0, end));
    if (end == names.size()) break;
    names.remove_prefix(end + 1);
  }
  const bool empty =
      std::any_of(parts.begin(), parts.end(), [](std::string_view part) { return part.empty(); });
  if (empty || parts.size() > 3 || path.version.empty()) return broken();
  path.collection = parts.back();
  if (parts.size() > 1) path.project = parts[parts.size() - 2];
  if (parts.size() > 2) path.entity = parts.front();
  return path;
}

Result<ArtifactPath> parseWholeNames(std::string_view text) {
  Result<ArtifactPath> path = parseNames(text);
  if (path && path->entity.empty()) return broken();
  return path;
}

}  // namespace

bool isArtifactUri(std::string_view text) { return afterScheme(text).has_value(); }

Result<ArtifactPath> parseArtifactPath(std::string_view text) {
  const std::optional<std::string_view> rest = afterScheme(text);
  if (!rest) return text.find("://") == std::string_view::npos ? parseNames(text) : broken();
  if (rest->starts_with('/')) return parseWholeNames(rest->substr(1));
  ArtifactPath path;
  if (rest->starts_with(kIdHost)) {
    path.id = idInText(decodeBase64(rest->substr(kIdHost.size())));
  } else {
    const std::size_t slash = std::min(rest->find('/'), rest->size());
    path.id = idInText(decodeHex(rest->substr(0, slash)));
    if (slash < rest->size()) path.entry = rest->substr(slash + 1);
  }
  // Some clients write two slashes instead of three.
  if (!path.id) return parseWholeNames(*rest);
  return path;
}

std::string artifactUri(std::int64_t id) {
  return "svc-artifact://_id/" + encodeBase64(std::string(kIdWord) + std::to_string(id));
}

}  // namespace spindle::registry
