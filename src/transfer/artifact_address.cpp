#include "transfer/artifact_address.h"

#include <algorithm>
#include <vector>

#include "http/uri.h"
#include "wire/registry_name.h"

namespace spindle::transfer {
namespace {

constexpr std::string_view kOrganization = "organization";

std::vector<std::string_view> partsOf(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = std::min(text.find('/'), text.size());
    parts.push_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string ArtifactAddress::placePath() const {
  if (!registry.empty()) return "/api/v1/registries/" + http::percentEncode(registry);
  return "/api/v1/projects/" + http::percentEncode(entity) + "/" + http::percentEncode(project);
}

std::string ArtifactAddress::collectionPath() const {
  return placePath() + "/collections/" + http::percentEncode(collection);
}

std::string ArtifactAddress::versionPath() const {
  return collectionPath() + "/versions/" +
         http::percentEncode(version.empty() ? std::string("latest") : version);
}

Result<ArtifactAddress> parseAddress(std::string_view text) {
  const Error broken = Error::invalidArgument(
      "expected ENTITY/PROJECT/NAME or svc-registry-REGISTRY/NAME, followed by :ALIAS or :v3 "
      "for one version, but found \"" +
      std::string(text) + "\"");
  ArtifactAddress address;
  const std::size_t colon = std::min(text.find(':'), text.size());
  if (colon < text.size()) address.version = text.substr(colon + 1);
  std::vector<std::string_view> parts = partsOf(text.substr(0, colon));
  const bool empty =
      std::any_of(parts.begin(), parts.end(), [](std::string_view part) { return part.empty(); });
  if (empty || (colon < text.size() && address.version.empty())) return broken;
  if (parts.size() > 1 && parts[0] == kOrganization && wire::registryOfProject(parts[1])) {
    parts.erase(parts.begin());
  }
  const std::optional<std::string_view> registry = wire::registryOfProject(parts[0]);
  const std::size_t place = registry ? 1 : 2;
  if (parts.size() < place || parts.size() > place + 1) return broken;
  if (registry) {
    address.registry = *registry;
  } else {
    address.entity = parts[0];
    address.project = parts[1];
  }
  if (parts.size() > place) address.collection = parts[place];
  if (address.collection.empty() && !address.version.empty()) return broken;
  return address;
}

std::string_view unsafeReason(std::string_view path) {
  if (path.empty() || path.front() == '/') return "is not relative";
  if (path.find('\\') != std::string_view::npos || path.find('\0') != std::string_view::npos) {
    return "contains an invalid character";
  }
  for (const std::string_view part : partsOf(path)) {
    if (part.empty() || part == "." || part == "..") return "has an empty, . or .. component";
  }
  return {};
}

}  // namespace spindle::transfer
