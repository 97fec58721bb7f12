#include "registry/artifacts/names.h"

#include <algorithm>
#include <charconv>

#include "base/core/ascii.h"
#include "base/crypto/crypto.h"
#include "wire/registry_name.h"

namespace spindle::registry {
namespace {

constexpr std::string_view kIdPrefix = "art_";
constexpr std::size_t kMd5TextSize = 24;

/// Parses a decimal number without sign and leading zeros.
std::optional<std::int64_t> plainNumber(std::string_view text) {
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size() && isDigit(text[0]);
  return whole ? std::optional(number) : std::nullopt;
}

}  // namespace

bool isReservedCollection(std::string_view type, std::string_view name) {
  return type.starts_with("svc-") || type == "job" ||
         (type == "run_table" && name.starts_with("run-")) ||
         (type == "code" && name.starts_with("source-"));
}

bool hasNoTtl(std::string_view type) {
  return type == "run_table" || type == "code" || type == "job" || type.starts_with("svc-");
}

bool isVersionNumber(std::string_view text) {
  return text.size() > 1 && text.front() == 'v' &&
         std::all_of(text.begin() + 1, text.end(), isDigit);
}

Place registryPlace(std::string_view id, std::string_view name) {
  Place place;
  place.entity = kOrganizationEntity;
  place.project = wire::registryProject(name);
  place.registry_id = id;
  place.registry = name;
  return place;
}

std::optional<std::string_view> registryIn(std::string_view entity, std::string_view project) {
  if (!entity.empty() && entity != kOrganizationEntity) return std::nullopt;
  return wire::registryNameOfProject(project);
}

VersionName versionNameOf(std::string_view text) {
  VersionName name;
  name.id = artifactIdOf(text);
  if (isVersionNumber(text)) name.index = plainNumber(text.substr(1));
  if (!name.id && !name.index) name.alias = text;
  return name;
}

std::string artifactIdText(std::int64_t id) { return std::string(kIdPrefix) + std::to_string(id); }

std::optional<std::int64_t> artifactIdOf(std::string_view text) {
  if (!text.starts_with(kIdPrefix)) return std::nullopt;
  return plainNumber(text.substr(kIdPrefix.size()));
}

std::string_view entryPathProblem(std::string_view path) {
  if (path.empty()) return "a path must not be empty";
  if (path.front() == '/') return "a path must be relative";
  if (path.find('\\') != std::string_view::npos) return "a path must use forward slashes";
  if (path.size() > 1 && path[1] == ':' && isLetter(path[0])) {
    return "a path must not have a drive letter";
  }
  while (true) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    if (part.empty()) return "a path must not have empty parts";
    if (part == "." || part == "..") return "a path must not have the parts . and ..";
    if (end == path.size()) return {};
    path.remove_prefix(end + 1);
  }
}

bool isMd5Text(std::string_view text) {
  if (text.size() != kMd5TextSize) return false;
  const std::optional<std::string> bytes = decodeBase64(text);
  return bytes && bytes->size() == 16 && encodeBase64(*bytes) == text;
}

}  // namespace spindle::registry
