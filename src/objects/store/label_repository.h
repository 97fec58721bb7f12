#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/sql_text.h"
#include "objects/values/object.h"
#include "storage/database/forward.h"

namespace spindle::objects {

/// The name of a version, borrowed for one call. `version` as in ObjectRepository.
struct VersionName {
  std::string_view project_id;
  std::string_view object_id;
  std::string_view version;
};

/// Tags and aliases of object versions. The caller has checked the texts (objects/values/label.h).
/// A tag belongs to a version; an alias belongs to one version of an object. Thread-safe; all calls
/// block on the database and may return kUnavailable.
class LabelRepository {
 public:
  explicit LabelRepository(storage::Database& database) : database_(database) {}

  /// Adds tags. @return kNotFound when the version does not exist or is deleted.
  Result<void> addTags(const VersionName& version, const std::vector<std::string>& tags);
  /// Removes tags; ignores unknown ones. @return kNotFound.
  Result<void> removeTags(const VersionName& version, const std::vector<std::string>& tags);

  /// Points each alias at the version and removes it from other versions. @return kNotFound.
  Result<void> setAliases(const VersionName& version, const std::vector<std::string>& aliases);
  /// Removes aliases; ignores unknown ones.
  Result<void> removeAliases(std::string_view project_id,
                             std::string_view object_id,
                             const std::vector<std::string>& aliases);

  /// Returns the labels of each version, in the given order.
  Result<std::vector<Labels>> labelsOf(std::string_view project_id,
                                       const std::vector<ObjectVersion>& versions);

  /// Return all tags or aliases in use in a project, sorted. Aliases include `latest` if there is
  /// any object.
  Result<std::vector<std::string>> tags(std::string_view project_id);
  Result<std::vector<std::string>> aliases(std::string_view project_id);

 private:
  /// Runs the statement once for each label. Its parameters are the project, the object, the digest
  /// of the version and the label.
  Result<void> changeVersion(const VersionName& version,
                             const std::vector<std::string>& labels,
                             SqlView sql);

  storage::Database& database_;
};

}  // namespace spindle::objects
