#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "objects/object.h"

namespace spindle::storage {
class Database;
}

namespace spindle::objects {

/// Names one version exactly.
struct ObjectKey {
  ObjectKind kind = ObjectKind::kObject;
  std::string object_id;
  std::string digest;
};

/// What is known under an ObjectKey.
struct StoredValue {
  enum class State { kMissing, kDeleted, kFound };
  State state = State::kMissing;
  std::string value;  ///< of kFound: JSON text with internal refs
};

/// The versions of objects. Thread-safe; calls block on the database, and every one may return
/// kUnavailable. A `version` is a digest, `latest`, `vN` or an alias.
class ObjectRepository {
 public:
  static constexpr std::size_t kMaxFilterItems = 1000;

  ObjectRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// Adds a version, or makes the one with the same content the latest, a deleted one live again.
  /// @return kInvalidArgument when the name belongs to objects of another base class.
  Result<void> publish(const NewObject& object);

  /// With its value when that is wanted.
  /// @return kNotFound; for a deleted version it carries `deleted_at`.
  Result<ObjectVersion> find(std::string_view project_id,
                             std::string_view object_id,
                             std::string_view version,
                             bool with_value);

  /// Without values. @return kInvalidArgument for a list of more than kMaxFilterItems.
  Result<std::vector<ObjectVersion>> query(std::string_view project_id, const ObjectQuery& query);

  /// Fills in the values of `count` versions from `first` on.
  Result<void> loadValues(std::vector<ObjectVersion>& versions,
                          std::size_t first,
                          std::size_t count);

  /// The values of exact versions, in the order asked; without `with_text` only what is there.
  Result<std::vector<StoredValue>> values(std::string_view project_id,
                                          const std::vector<ObjectKey>& keys,
                                          bool with_text = true);

  /// Deletes these versions, or every one without a list, with their tags and aliases.
  /// @return what was deleted; kNotFound when there is nothing or one of them is not there.
  Result<std::vector<ObjectVersion>> remove(
      std::string_view project_id,
      std::string_view object_id,
      const std::optional<std::vector<std::string>>& versions);

  /// Bytes of all live versions of a project.
  Result<std::int64_t> storageSize(std::string_view project_id);

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::objects
