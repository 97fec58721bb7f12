#include "transfer/remote_artifact_path.h"

#include <algorithm>
#include <vector>

#include "http/message/uri.h"
#include "wire/registry_name.h"

namespace spindle::transfer {
namespace {

constexpr std::string_view kOrganization = "organization";

std::vector<std::string_view> pathPartsOf(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = std::min(text.find('/'), text.size());
    parts.push_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string RemoteArtifactPath::parentPath() const {
  if (!registry.empty()) return "/api/v1/registries/" + http::percentEncode(registry);
  return "/api/v1/projects/" + http::percentEncode(entity) + "/" + http::percentEncode(project);
}

std::string RemoteArtifactPath::collectionPath() const {
  return parentPath() + "/collections/" + http::percentEncode(collection);
}

std::string RemoteArtifactPath::versionPath() const {
  return collectionPath() + "/versions/" +
         http::percentEncode(version.empty() ? std::string("latest") : version);
}

Result<RemoteArtifactPath> parseRemoteArtifactPath(std::string_view text) {
  const Error invalid = Error::invalidArgument(
      "expected ENTITY/PROJECT/NAME or svc-registry-REGISTRY/NAME, followed by :ALIAS or :v3 "
      "for one version, but found \"" +
      std::string(text) + "\"");
  RemoteArtifactPath path;
  const std::size_t colon = std::min(text.find(':'), text.size());
  if (colon < text.size()) path.version = text.substr(colon + 1);
  std::vector<std::string_view> parts = pathPartsOf(text.substr(0, colon));
  const bool empty =
      std::any_of(parts.begin(), parts.end(), [](std::string_view part) { return part.empty(); });
  if (empty || (colon < text.size() && path.version.empty())) return invalid;
  if (parts.size() > 1 && parts[0] == kOrganization && wire::registryNameOfProject(parts[1])) {
    parts.erase(parts.begin());
  }
  const std::optional<std::string_view> registry = wire::registryNameOfProject(parts[0]);
  const std::size_t parent_parts = registry ? 1 : 2;
  if (parts.size() < parent_parts || parts.size() > parent_parts + 1) return invalid;
  if (registry) {
    path.registry = *registry;
  } else {
    path.entity = parts[0];
    path.project = parts[1];
  }
  if (parts.size() > parent_parts) path.collection = parts[parent_parts];
  if (path.collection.empty() && !path.version.empty()) return invalid;
  return path;
}

std::string_view unsafeReason(std::string_view path) {
  if (path.empty() || path.front() == '/') return "is not relative";
  if (path.find('\\') != std::string_view::npos || path.find('\0') != std::string_view::npos) {
    return "contains an invalid character";
  }
  for (const std::string_view part : pathPartsOf(path)) {
    if (part.empty() || part == "." || part == "..") return "has an empty, . or .. component";
  }
  return {};
}

}  // namespace spindle::transfer
