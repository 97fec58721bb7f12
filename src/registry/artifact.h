#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace spindle::registry {

/// Who does something.
struct Actor {
  std::string user_id;
  std::string username;
  bool guards_aliases = false;  ///< may move and remove the protected aliases of the registry
};

/// The project or the registry in which something is done, with its names as they are now.
struct Place {
  std::string team_id;     ///< empty for a registry: it belongs to the whole organization
  std::string project_id;  ///< empty for a registry
  std::string entity;
  std::string project;  ///< of a registry `svc-registry-<name>`
  std::string registry_id = {};
  std::string registry = {};  ///< its name

  const std::string& id() const { return registry_id.empty() ? project_id : registry_id; }
};

enum class CollectionKind {
  kSource,  ///< versions are made here
  kLinked,  ///< holds links to versions of source collections
};
/// `SEQUENCE`, `PORTFOLIO`.
std::string_view textOf(CollectionKind kind);

/// A named line of versions of one type.
struct Collection {
  std::string id;
  std::string place_id;  ///< of the project or registry it is in
  std::string name;
  std::string type;
  CollectionKind kind = CollectionKind::kSource;
  std::string description;
  std::vector<std::string> tags;  ///< in the order of their names
  std::string created_by;
  std::int64_t revision = 1;  ///< counts the changes
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

/// What to change; what is not set stays.
struct CollectionChange {
  std::optional<std::string> name;
  std::optional<std::string> description;
};

enum class VersionState {
  kPending,  ///< being uploaded; known by its id to those who may write
  kCommitted,
  kPendingDeletion,  ///< gone for everyone
  kDeleted,
  kGarbageCollected,
};

/// `PENDING` and so on.
std::string_view textOf(VersionState state);
/// A text that this program does not know is kDeleted: what cannot be understood is not shown.
VersionState versionStateOf(std::string_view text);

/// Values of `ttl_seconds` that are not a number of seconds.
inline constexpr std::int64_t kInheritTtl = -1;  ///< as the team says
inline constexpr std::int64_t kNoTtl = -2;       ///< lives for ever

/// Where the version behind a link was made.
struct Source {
  std::string entity;
  std::string project;
  std::string collection_id;
  std::string collection;
  std::int64_t index = 0;
};
/// `entity/project/collection:v3`.
std::string textOf(const Source& source);

/// One version of a collection's content, as that collection shows it: a linked collection has its
/// own numbers and aliases. What its files hold never changes.
struct Version {
  std::int64_t id = 0;        ///< shown as `art_<id>`; the same through every link
  std::string team_id;        ///< whose it is
  std::string collection_id;  ///< where it was found
  std::string collection;     ///< name
  std::string type;
  VersionState state = VersionState::kPending;
  std::optional<std::int64_t> index;  ///< `v<index>`, from the commit on
  std::optional<Source> source;       ///< of a link
  std::string digest;
  std::int64_t size_bytes = 0;
  std::int64_t file_count = 0;
  std::string metadata = "{}";  ///< a JSON object, as it was given
  std::optional<std::string> description;
  std::int64_t ttl_seconds = kInheritTtl;
  std::optional<Timestamp> expires_at;  ///< as it stands with the team's setting
  std::optional<std::string> run_id;
  std::string created_by;
  std::int64_t revision = 1;
  Timestamp created_at;
  Timestamp updated_at;
  std::optional<Timestamp> committed_at;
  std::vector<std::string> aliases;  ///< in the order of their names
  std::vector<std::string> tags;
};

/// A file of a version, or a reference to one that is kept elsewhere.
struct ManifestEntry {
  std::string path;
  std::string digest;  ///< base64 of the MD5; of a reference whatever tells one state from another
  std::int64_t size = 0;
  std::optional<std::string> ref = {};        ///< where it is when it is not here
  std::optional<std::string> extra = {};      ///< a JSON object
  std::optional<std::int64_t> birth_id = {};  ///< the version that brought the bytes first
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

/// What to change; what is not set stays.
struct VersionChange {
  std::optional<std::string> metadata;        ///< a JSON object in place of the old one
  std::optional<std::string> metadata_merge;  ///< a JSON object whose members replace old ones
  std::optional<std::optional<std::string>> description;
  std::optional<std::int64_t> ttl_seconds;
};

/// Bytes as a team knows them: the same MD5 and size are the same file.
struct BlobKey {
  std::string digest;
  std::int64_t size = 0;
};

/// How a version is named within its collection: `v3`, `art_12`, or an alias.
struct VersionName {
  std::optional<std::int64_t> index;
  std::optional<std::int64_t> id;
  std::string alias;
};

}  // namespace spindle::registry
