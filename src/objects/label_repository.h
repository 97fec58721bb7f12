#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/object.h"

namespace spindle::storage {
class Database;
}

namespace spindle::objects {

/// Tags and aliases of object versions. Texts have been checked (objects/label.h). A tag belongs to
/// a version, an alias to one version of an object. Thread-safe; calls block on the database, and
/// every one may return kUnavailable. `version` as in ObjectRepository.
class LabelRepository {
 public:
  explicit LabelRepository(storage::Database& database) : database_(database) {}

  /// @return kNotFound when there is no such live version.
  Result<void> addTags(std::string_view project_id,
                       std::string_view object_id,
                       std::string_view version,
                       const std::vector<std::string>& tags);
  /// Tags that are not there are ignored. @return kNotFound.
  Result<void> removeTags(std::string_view project_id,
                          std::string_view object_id,
                          std::string_view version,
                          const std::vector<std::string>& tags);

  /// Points each alias at the version, away from any other. @return kNotFound.
  Result<void> setAliases(std::string_view project_id,
                          std::string_view object_id,
                          std::string_view version,
                          const std::vector<std::string>& aliases);
  /// Aliases that are not there are ignored.
  Result<void> removeAliases(std::string_view project_id,
                             std::string_view object_id,
                             const std::vector<std::string>& aliases);

  /// Those of each version, in the order given.
  Result<std::vector<Labels>> labelsOf(std::string_view project_id,
                                       const std::vector<ObjectVersion>& versions);

  /// All in use in a project, sorted. Aliases include `latest` when there is any object.
  Result<std::vector<std::string>> tags(std::string_view project_id);
  Result<std::vector<std::string>> aliases(std::string_view project_id);

 private:
  storage::Database& database_;
};

}  // namespace spindle::objects
