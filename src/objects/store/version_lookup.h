#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "objects/values/object.h"
#include "storage/database/columns.h"
#include "storage/database/session.h"

namespace spindle::objects {

// Shared by the repositories of objects and labels, inside their transactions.

/// Returns the columns of `object_versions` that hold the content of a version, without the kind
/// and the value.
const storage::Columns<ObjectContent>& objectContentColumns();

/// Returns a SELECT of the columns that versionAt() reads, without the value, from
/// `object_versions v`. The condition follows.
SqlText selectVersions();
ObjectVersion versionAt(const storage::Row& row);

/// Finds the version of a digest, `latest`, `vN` or an alias. Finds a deleted version by its digest
/// or number if no live one matches.
Result<std::optional<ObjectVersion>> lookUpVersion(storage::Session& session,
                                                   std::string_view project_id,
                                                   std::string_view object_id,
                                                   std::string_view version);

/// Returns the error `Obj name:version not found`.
Error versionNotFound(std::string_view object_id, std::string_view version);

}  // namespace spindle::objects
