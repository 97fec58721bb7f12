#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "objects/values/object.h"
#include "storage/database/forward.h"

namespace spindle::objects {

/// Identifies one version exactly.
struct ObjectKey {
  ObjectKind kind = ObjectKind::kObject;
  std::string object_id;
  std::string digest;
};

/// Result of a lookup by ObjectKey.
struct StoredValue {
  enum class State { kMissing, kDeleted, kFound };
  State state = State::kMissing;
  std::string value;  ///< if kFound: JSON text with internal refs
};

/// The versions of objects. Thread-safe; all calls block on the database and may return
/// kUnavailable. A `version` is a digest, `latest`, `vN` or an alias.
class ObjectRepository {
 public:
  static constexpr std::size_t kMaxFilterItems = 1000;

  ObjectRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// Adds a version, or makes the version with the same content the latest, restoring it if it was
  /// deleted. @return kInvalidArgument when the name belongs to objects of another base class.
  Result<void> publish(const NewObject& object);

  /// Finds a version, with its value if `with_value`. @return kNotFound; for a deleted version the
  /// error contains `deleted_at`.
  Result<ObjectVersion> find(std::string_view project_id,
                             std::string_view object_id,
                             std::string_view version,
                             bool with_value);

  /// Returns versions without values. @return kInvalidArgument for a list of more than
  /// kMaxFilterItems.
  Result<std::vector<ObjectVersion>> query(std::string_view project_id, const ObjectQuery& query);

  /// Loads the values of `count` versions, starting at `first`.
  Result<void> loadValues(std::vector<ObjectVersion>& versions,
                          std::size_t first,
                          std::size_t count);

  /// Returns the values of exact versions, in the given order; only their states if not
  /// `with_text`.
  Result<std::vector<StoredValue>> values(std::string_view project_id,
                                          const std::vector<ObjectKey>& keys,
                                          bool with_text = true);

  /// Deletes these versions, or all without a list, with their tags and aliases. @return the
  /// deleted versions; kNotFound when there is no version or one of them does not exist.
  Result<std::vector<ObjectVersion>> remove(
      std::string_view project_id,
      std::string_view object_id,
      const std::optional<std::vector<std::string>>& versions);

  /// Returns the total size of the live versions of a project, in bytes.
  Result<std::int64_t> storageSize(std::string_view project_id);

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::objects
