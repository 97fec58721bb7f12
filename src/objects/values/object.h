#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/time.h"

namespace spindle::objects {

enum class ObjectKind { kObject, kOp };

/// Returns `object` or `op`.
std::string_view textOf(ObjectKind kind);

/// The alias of the version that was published last.
inline constexpr std::string_view kLatest = "latest";
/// Returns the N of `vN`.
std::optional<std::int64_t> versionNumber(std::string_view text);

/// The kind and classes that a value declares (tracing.md §4.3).
struct ObjectClasses {
  ObjectKind kind = ObjectKind::kObject;
  std::optional<std::string> base;
  std::optional<std::string> leaf;
};

/// The content of a version of an object. Its refs are internal, and its digest is that of the
/// value.
struct ObjectContent {
  std::string object_id;
  std::string digest;
  ObjectClasses classes;
  std::string value;  ///< JSON text
  std::int64_t size_bytes = 0;
  std::string user_id;
};

/// An object to publish.
struct NewObject : ObjectContent {
  std::string project_id;  ///< internal, here and everywhere below
};

/// One version of an object. Its value is empty until loaded.
struct ObjectVersion : ObjectContent {
  std::int64_t id = 0;  ///< database id
  std::int64_t version_index = 0;
  bool is_latest = false;
  Timestamp created_at;
  std::optional<Timestamp> deleted_at;
};

/// Filter of live versions. A list matches any of its items; an empty list matches everything.
struct ObjectFilter {
  std::vector<std::string> base_object_classes;
  std::vector<std::string> exclude_base_object_classes;
  std::vector<std::string> leaf_object_classes;
  std::vector<std::string> object_ids;
  std::optional<bool> is_op;
  bool latest_only = false;
  std::vector<std::string> tags;
  std::vector<std::string> aliases;  ///< may include `latest`
};

struct ObjectOrder {
  enum class Field { kObjectId, kCreatedAt };
  Field field = Field::kCreatedAt;
  bool descending = false;
};

/// The place of a version in the order of creation.
struct VersionPosition {
  Timestamp created_at;
  std::int64_t version_index = 0;
  std::int64_t id = 0;
};

struct ObjectQuery {
  ObjectFilter filter;
  std::vector<ObjectOrder> order;        ///< then by creation time and version
  bool newest_first = false;             ///< descending order of creation time and version
  std::optional<VersionPosition> after;  ///< only versions that follow; requires an empty `order`
  std::optional<std::int64_t> limit;
  std::int64_t offset = 0;
};

/// Tags and aliases of one version, including the alias `latest`.
struct Labels {
  std::vector<std::string> tags;     ///< sorted
  std::vector<std::string> aliases;  ///< sorted
};

}  // namespace spindle::objects
