#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "objects/values/object.h"
#include "storage/database/session.h"

namespace spindle::objects {

// Shared by the repositories of objects and labels, inside their transactions.

/// The columns that versionAt() reads, without the value.
inline constexpr SqlView kVersionColumns =
    "v.id, v.object_id, v.kind, v.digest, v.version_index, v.is_latest, v.base_object_class, "
    "v.leaf_object_class, v.size_bytes, v.user_id, v.created_at, v.deleted_at";

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
