#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/time.h"

namespace spindle::registry {

/// The user who makes a change.
struct Actor {
  std::string user_id;
  std::string username;
  bool may_manage_protected_aliases =
      false;  ///< may set and remove the protected aliases of the registry
};

/// A project or a registry: the owner of collections. Contains the current names.
struct Place {
  std::string team_id;     ///< empty for a registry: it belongs to the whole organization
  std::string project_id;  ///< empty for a registry
  std::string entity;
  std::string project;  ///< `svc-registry-<name>` for a registry
  std::string registry_id = {};
  std::string registry = {};  ///< name of the registry

  const std::string& id() const { return registry_id.empty() ? project_id : registry_id; }
};

enum class CollectionKind {
  kSource,  ///< contains versions
  kLinked,  ///< contains links to versions of source collections
};
/// Returns `SEQUENCE` or `PORTFOLIO`.
std::string_view textOf(CollectionKind kind);

/// A named series of versions of one type.
struct Collection {
  std::string id;
  std::string place_id;  ///< id of its project or registry
  std::string name;
  std::string type;
  CollectionKind kind = CollectionKind::kSource;
  std::string description;
  std::vector<std::string> tags;  ///< sorted by name
  std::string created_by;
  std::int64_t revision = 1;  ///< number of changes
  Timestamp created_at;
  Timestamp updated_at;
};

struct NewCollection {
  std::string name;
  std::string type;
  std::string description;
  std::vector<std::string> tags;
  CollectionKind kind = CollectionKind::kSource;  ///< in a registry always kLinked
};

/// A partial update of a collection. Members without a value leave it unchanged.
struct CollectionChange {
  std::optional<std::string> name;
  std::optional<std::string> description;
};

enum class VersionState {
  kPending,  ///< upload in progress; only users with write permission find it, by its id
  kCommitted,
  kPendingDeletion,  ///< deleted for all users
  kDeleted,
  kGarbageCollected,
};

/// Returns the name of the state, such as `PENDING`.
std::string_view textOf(VersionState state);
/// Parses a name from textOf(). Returns kDeleted for an unknown text, so that unknown states stay
/// hidden.
VersionState versionStateOf(std::string_view text);

/// Special values of `ttl_seconds`.
inline constexpr std::int64_t kInheritTtl = -1;  ///< the default of the team
inline constexpr std::int64_t kNoTtl = -2;       ///< unlimited

/// The source of a link: a version in its source collection.
struct Source {
  std::string entity;
  std::string project;
  std::string collection_id;
  std::string collection;
  std::int64_t index = 0;
};
/// Returns `entity/project/collection:v3`.
std::string textOf(const Source& source);

/// One version of an artifact, as seen in one collection: a linked collection has its own version
/// numbers and aliases. The content of its files never changes.
struct Version {
  std::int64_t id = 0;        ///< shown as `art_<id>`; the same in every linked collection
  std::string team_id;        ///< team that owns the source collection
  std::string collection_id;  ///< collection in which it was found
  std::string collection;     ///< name of that collection
  std::string type;
  VersionState state = VersionState::kPending;
  std::optional<std::int64_t> index;  ///< `v<index>`; empty until the commit
  std::optional<Source> source;       ///< set for links only
  std::string digest;
  std::int64_t size_bytes = 0;
  std::int64_t file_count = 0;
  std::string metadata = "{}";  ///< a JSON object, exactly as the client sent it
  std::optional<std::string> description;
  std::int64_t ttl_seconds = kInheritTtl;
  std::optional<Timestamp> expires_at;  ///< computed from `ttl_seconds` and the team's default
  std::optional<std::string> run_id;
  std::string created_by;
  std::int64_t revision = 1;
  Timestamp created_at;
  Timestamp updated_at;
  std::optional<Timestamp> committed_at;
  std::vector<std::string> aliases;  ///< sorted by name
  std::vector<std::string> tags;
};

/// A file of a version, or a reference to an external file.
struct ManifestEntry {
  std::string path;
  std::string digest;  ///< base64 of the MD5; for a reference, a text that changes with its content
  std::int64_t size = 0;
  std::optional<std::string> ref = {};        ///< URI of an external file
  std::optional<std::string> extra = {};      ///< a JSON object
  std::optional<std::int64_t> birth_id = {};  ///< id of the version that first uploaded the bytes
};

struct NewVersion {
  std::string collection;
  std::string type;
  std::vector<ManifestEntry> manifest;
  std::string metadata = "{}";
  std::optional<std::string> description = {};
  std::vector<std::string> aliases = {};
  std::vector<std::string> tags = {};
  std::int64_t ttl_seconds = kInheritTtl;
  std::optional<std::string> run_id = {};
};

/// A partial update of a version. Members without a value leave it unchanged.
struct VersionChange {
  std::optional<std::string> metadata;        ///< a JSON object that replaces the old metadata
  std::optional<std::string> metadata_merge;  ///< a JSON object with members to add or replace
  std::optional<std::optional<std::string>> description;
  std::optional<std::int64_t> ttl_seconds;
};

/// Identifies a file within a team: files with the same MD5 and size are the same file.
struct BlobKey {
  std::string digest;
  std::int64_t size = 0;
};

/// A parsed name of a version in its collection: `v3`, `art_12`, or an alias.
struct VersionName {
  std::optional<std::int64_t> index;
  std::optional<std::int64_t> id;
  std::string alias;
};

}  // namespace spindle::registry
