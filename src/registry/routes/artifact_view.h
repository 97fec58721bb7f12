#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/time.h"
#include "http/router/operation.h"
#include "http/router/paging.h"
#include "identity/store/page.h"
#include "identity/types/permissions.h"
#include "registry/artifacts/artifact.h"
#include "registry/artifacts/registry.h"
#include "registry/routes/registry_api.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::identity {
struct ProjectAccess;
}

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

/// Returns the codec of an enumeration whose values are written as textOf() returns them.
template <class E>
schema::Codec<E> textCodec(std::initializer_list<E> values) {
  std::vector<std::pair<std::string, E>> names;
  for (const E value : values) names.emplace_back(std::string(textOf(value)), value);
  return schema::enumeration<E>(names);
}

/// The JSON representation of a version in the API: a version, and the members that have another
/// form.
struct VersionView : Version {
  VersionView() = default;
  explicit VersionView(const Version& version);

  std::string id_text;
  std::optional<std::string> source_path;
  json::Text metadata_object;
};

schema::Codec<VersionState> stateCodec();

/// Adds the members that say who created a resource, and when it was created and changed.
template <class T>
schema::Record<T>& describeCreation(schema::Record<T>& record) {
  return record.required("created_by", &T::created_by, schema::string(), "Username.")
      .required("created_at", &T::created_at, schema::dateTime())
      .required("updated_at", &T::updated_at, schema::dateTime());
}

/// Adds the members of a version to the record of a type derived from VersionView.
template <class T>
schema::Record<T>& describeVersion(schema::Record<T>& record) {
  using schema::dateTime;
  using schema::integer;
  using schema::list;
  using schema::nullable;
  using schema::string;
  using V = VersionView;
  record.required("id", &V::id_text, string(), "Assigned by the server: `art_…`.")
      .required("collection", &V::collection, string(), "Name of its collection.")
      .required("type", &V::type, string(), "Type of all versions in the collection.")
      .required("state", &V::state, stateCodec())
      .required("version_index", &V::index, nullable(integer()),
                "Version number, the 3 of `v3`; null until the commit.")
      .required("source", &V::source_path, nullable(string()),
                "Source of a link, `entity/project/name:v3`; null for other versions.")
      .required("digest", &V::digest, string(), "Digest of the manifest.")
      .required("size", &V::size_bytes, integer(), "Bytes of all files.")
      .required("file_count", &V::file_count, integer())
      .required("metadata", &V::metadata_object, schema::jsonObject())
      .required("description", &V::description, nullable(string()))
      .required("ttl_seconds", &V::ttl_seconds, integer(),
                "Time to live in seconds; -1: the default of the team; -2: unlimited.")
      .required("expires_at", &V::expires_at, nullable(dateTime()),
                "Time of deletion; null: never.")
      .required("run_id", &V::run_id, nullable(string()), "Run that created the version.")
      .required("aliases", &V::aliases, list(string()))
      .required("tags", &V::tags, list(string()));
  return describeCreation(record).required("committed_at", &V::committed_at, nullable(dateTime()));
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

/// Returns the caller as an actor without permissions in a registry.
Actor callerOf(const http::Context& context);
/// Returns the caller as the actor of a change.
Actor actorOf(const http::Context& context, const PlaceAccess& entry);

/// Returns a project, which has these names, as a place.
Place projectPlace(const identity::ProjectAccess& access,
                   std::string_view team,
                   std::string_view project);

/// How a request uses a project or registry.
enum class PlaceUse {
  kRead,  ///< a project that does not exist yet has an empty id
  kWrite,
  kWriteOrCreate,  ///< creates a missing project
};

/// Returns the project or registry of a path if the caller may use it so. The use of a registry
/// requires the permission `in_registry`: by default kViewRegistry to read, and
/// kManageRegistryCollection to write. @return kNotFound, kPermissionDenied.
Result<PlaceAccess> authorize(const RegistryServices& services,
                              const http::Context& context,
                              const PlacePath& path,
                              PlaceUse use,
                              std::optional<identity::Action> in_registry = {});

/// Parses the page parameters of a list whose cursor is a number.
/// @return kInvalidSchema for a cursor of another list.
Result<identity::PageRequest> numericPageRequest(const http::PageQuery& query);

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
