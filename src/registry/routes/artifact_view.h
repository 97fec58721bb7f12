#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/time.h"
#include "http/router/operation.h"
#include "http/router/paging.h"
#include "identity/types/permissions.h"
#include "registry/artifacts/artifact.h"
#include "registry/routes/registry_api.h"

namespace spindle::registry {

inline constexpr std::string_view kArtifactsTag = "artifacts";

/// The base path of a route: `/projects/{team}/{project}` or `/registries/{registry}`.
enum class RouteBase : std::size_t { kProject, kRegistry };
inline constexpr std::array kRouteBases = {RouteBase::kProject, RouteBase::kRegistry};
/// Returns the text for this base path.
constexpr std::string_view choose(RouteBase base,
                                  std::string_view in_project,
                                  std::string_view in_registry) {
  return base == RouteBase::kRegistry ? in_registry : in_project;
}

/// Returns the base path of a route with `rest` after it.
std::string pathBelow(RouteBase base, std::string_view rest);

/// Path parameters of a project or registry, a collection and a version.
struct PlacePath {
  std::string team;
  std::string project;
  std::string registry;  ///< empty for a project
};
struct CollectionPath : PlacePath {
  std::string collection;
};
struct VersionPath : CollectionPath {
  std::string version;
};

template <class P>
http::Parameters<P>& addPlacePath(http::Parameters<P>& parameters, RouteBase base) {
  if (base == RouteBase::kRegistry) {
    return parameters.path("registry", &PlacePath::registry, schema::string(),
                           "Name of the registry.");
  }
  return parameters.path("team", &PlacePath::team, schema::string(), "Name of the team.")
      .path("project", &PlacePath::project, schema::string(), "Name of the project.");
}
template <class P>
http::Parameters<P>& addCollectionPath(http::Parameters<P>& parameters, RouteBase base) {
  return addPlacePath(parameters, base)
      .path("collection", &CollectionPath::collection, schema::string(), "Name of the collection.");
}
template <class P>
http::Parameters<P>& addVersionPath(http::Parameters<P>& parameters, RouteBase base) {
  return addCollectionPath(parameters, base)
      .path("version", &VersionPath::version, schema::string(),
            "`v3`, an alias, or the id `art_…`.");
}

/// The JSON representation of a version in the API.
struct VersionView {
  VersionView() = default;
  explicit VersionView(const Version& version);

  std::string id;
  std::string collection;
  std::string type;
  VersionState state = VersionState::kPending;
  std::optional<std::int64_t> version_index;
  std::optional<std::string> source;
  std::string digest;
  std::int64_t size = 0;
  std::int64_t file_count = 0;
  json::Text metadata;
  std::optional<std::string> description;
  std::int64_t ttl_seconds = kInheritTtl;
  std::optional<Timestamp> expires_at;
  std::optional<std::string> run_id;
  std::vector<std::string> aliases;
  std::vector<std::string> tags;
  std::string created_by;
  Timestamp created_at;
  Timestamp updated_at;
  std::optional<Timestamp> committed_at;
};

schema::Codec<VersionState> stateCodec();

/// Adds the members of a version to the record of a type derived from VersionView.
template <class T>
schema::Record<T>& describeVersion(schema::Record<T>& record) {
  using schema::dateTime;
  using schema::integer;
  using schema::list;
  using schema::nullable;
  using schema::string;
  return record.required("id", &VersionView::id, string(), "Assigned by the server: `art_…`.")
      .required("collection", &VersionView::collection, string(), "Name of its collection.")
      .required("type", &VersionView::type, string(), "Type of all versions in the collection.")
      .required("state", &VersionView::state, stateCodec(), "")
      .required("version_index", &VersionView::version_index, nullable(integer()),
                "Version number, the 3 of `v3`; null until the commit.")
      .required("source", &VersionView::source, nullable(string()),
                "Source of a link, `entity/project/name:v3`; null for other versions.")
      .required("digest", &VersionView::digest, string(), "Digest of the manifest.")
      .required("size", &VersionView::size, integer(), "Bytes of all files.")
      .required("file_count", &VersionView::file_count, integer(), "")
      .required("metadata", &VersionView::metadata, schema::jsonObject(), "")
      .required("description", &VersionView::description, nullable(string()), "")
      .required("ttl_seconds", &VersionView::ttl_seconds, integer(),
                "Time to live in seconds; -1: the default of the team; -2: unlimited.")
      .required("expires_at", &VersionView::expires_at, nullable(dateTime()),
                "Time of deletion; null: never.")
      .required("run_id", &VersionView::run_id, nullable(string()), "Run that created the version.")
      .required("aliases", &VersionView::aliases, list(string()), "")
      .required("tags", &VersionView::tags, list(string()), "")
      .required("created_by", &VersionView::created_by, string(), "Username.")
      .required("created_at", &VersionView::created_at, dateTime(), "")
      .required("updated_at", &VersionView::updated_at, dateTime(), "")
      .required("committed_at", &VersionView::committed_at, nullable(dateTime()), "");
}

schema::Codec<VersionView> versionViewCodec();

schema::Codec<std::string> collectionNameCodec();
schema::Codec<std::string> typeCodec();
/// Refuses version numbers such as `v3`.
schema::Codec<std::string> aliasCodec();
schema::Codec<std::string> tagCodec();

/// Returns the kInvalidSchema error for a text at `loc` in the request.
Error invalidText(std::vector<LocStep> loc, const std::string& text, std::string_view problem);

/// A project or registry with the roles of the caller in it.
struct PlaceAccess {
  Place place;
  identity::Roles roles;

  /// Returns true if the caller may do `in_project` in a project, or `in_registry` in a registry.
  bool allows(identity::Action in_project, identity::Action in_registry) const;
};

/// Returns the caller as the actor of a change.
Actor actorOf(const http::Context& context, const PlaceAccess& entry);

/// Returns the project or registry of a path if the caller may write to it. @return kNotFound,
/// kPermissionDenied.
Result<PlaceAccess> authorizeWrite(
    const RegistryServices& services,
    const http::Context& context,
    const PlacePath& path,
    identity::Action in_registry = identity::Action::kManageRegistryCollection);
/// Like authorizeWrite(), but creates a missing project.
Result<PlaceAccess> authorizeWriteOrCreate(
    const RegistryServices& services,
    const http::Context& context,
    const PlacePath& path,
    identity::Action in_registry = identity::Action::kManageRegistryCollection);
/// Returns the project or registry of a path if the caller may read it. A project that does not
/// exist yet has an empty id. @return kNotFound, kPermissionDenied.
Result<PlaceAccess> authorizeRead(const RegistryServices& services,
                                  const http::Context& context,
                                  const PlacePath& path,
                                  identity::Action in_registry = identity::Action::kViewRegistry);

struct FoundVersion {
  PlaceAccess entry;
  Version version;
};
/// Returns the version of a path if the caller may read it. A pending version needs write
/// permission. @return kNotFound, kPermissionDenied.
Result<FoundVersion> readableVersion(
    const RegistryServices& services,
    const http::Context& context,
    const VersionPath& path,
    identity::Action in_registry = identity::Action::kViewRegistry);

}  // namespace spindle::registry
