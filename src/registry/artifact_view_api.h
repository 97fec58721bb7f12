#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "http/endpoint.h"
#include "http/paging.h"
#include "registry/artifact.h"
#include "registry/registry_api.h"

namespace spindle::registry {

inline constexpr std::string_view kArtifactsTag = "artifacts";

/// A project, a collection and a version as paths name them.
struct ProjectPath {
  std::string team;
  std::string project;
};
struct CollectionPath : ProjectPath {
  std::string collection;
};
struct VersionPath : CollectionPath {
  std::string version;
};

template <class P>
http::Parameters<P>& inProject(http::Parameters<P>& parameters) {
  return parameters.path("team", &ProjectPath::team, schema::string(), "Name of the team.")
      .path("project", &ProjectPath::project, schema::string(), "Name of the project.");
}
template <class P>
http::Parameters<P>& inCollection(http::Parameters<P>& parameters) {
  return inProject(parameters)
      .path("collection", &CollectionPath::collection, schema::string(), "Name of the collection.");
}
template <class P>
http::Parameters<P>& ofVersion(http::Parameters<P>& parameters) {
  return inCollection(parameters)
      .path("version", &VersionPath::version, schema::string(),
            "`v3`, an alias, or the id `art_…`.");
}

/// A version as the API shows it.
struct VersionView {
  VersionView() = default;
  explicit VersionView(const Version& version);

  std::string id;
  std::string collection;
  std::string type;
  VersionState state = VersionState::kPending;
  std::optional<std::int64_t> version_index;
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

/// Adds the members of a version to a record of something that shows one.
template <class T>
schema::Record<T>& describeVersion(schema::Record<T>& record) {
  using schema::dateTime;
  using schema::integer;
  using schema::list;
  using schema::nullable;
  using schema::string;
  return record.required("id", &VersionView::id, string(), "Assigned by the server: `art_…`.")
      .required("collection", &VersionView::collection, string(), "Name of its collection.")
      .required("type", &VersionView::type, string(), "Of everything in the collection.")
      .required("state", &VersionView::state, stateCodec(), "")
      .required("version_index", &VersionView::version_index, nullable(integer()),
                "The 3 of `v3`; null until the commit.")
      .required("digest", &VersionView::digest, string(), "Names the content.")
      .required("size", &VersionView::size, integer(), "Bytes of all files.")
      .required("file_count", &VersionView::file_count, integer(), "")
      .required("metadata", &VersionView::metadata, schema::jsonObject(), "")
      .required("description", &VersionView::description, nullable(string()), "")
      .required("ttl_seconds", &VersionView::ttl_seconds, integer(),
                "Seconds that it lives; -1: as the team says; -2: for ever.")
      .required("expires_at", &VersionView::expires_at, nullable(dateTime()),
                "When it will go; null: never.")
      .required("run_id", &VersionView::run_id, nullable(string()), "The run that made it.")
      .required("aliases", &VersionView::aliases, list(string()), "")
      .required("tags", &VersionView::tags, list(string()), "")
      .required("created_by", &VersionView::created_by, string(), "Username.")
      .required("created_at", &VersionView::created_at, dateTime(), "")
      .required("updated_at", &VersionView::updated_at, dateTime(), "")
      .required("committed_at", &VersionView::committed_at, nullable(dateTime()), "");
}

schema::Codec<VersionView> versionViewCodec();
http::Reply<VersionView> replyOf(const Version& version);

schema::Codec<std::string> collectionNameCodec();
schema::Codec<std::string> typeCodec();
/// Refuses what reads as a number of a version.
schema::Codec<std::string> aliasCodec();
schema::Codec<std::string> tagCodec();

/// Who asks.
Actor actorOf(const http::Context& context);

/// The project of a path, for one who may write to it. @return kNotFound, kPermissionDenied.
Result<Place> writablePlace(const RegistryServices& services,
                            const http::Context& context,
                            const ProjectPath& path);
/// The same; a project that is not there springs into being.
Result<Place> ensuredPlace(const RegistryServices& services,
                           const http::Context& context,
                           const ProjectPath& path);
/// A project for one who may read it. @return kNotFound; one that does not exist yet has no id.
struct ReadablePlace {
  Place place;
  bool writable = false;
};
Result<ReadablePlace> readablePlace(const RegistryServices& services,
                                    const http::Context& context,
                                    const ProjectPath& path);

/// The version of a path, for one who may read it: pending ones only for those who may write.
struct FoundVersion {
  Place place;
  Version version;
};
Result<FoundVersion> readableVersion(const RegistryServices& services,
                                     const http::Context& context,
                                     const VersionPath& path);

}  // namespace spindle::registry
