#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"
#include "objects/values/object.h"
#include "objects/values/ref_conversion.h"
#include "objects/values/table.h"
#include "wire/spelling.h"

namespace spindle::objects {

/// Creates an object to publish from a value, which is valid JSON with internal refs.
NewObject newObject(std::string_view project_id,
                    std::string_view object_id,
                    std::string value,
                    std::string_view user_id);

/// The file with the source code of an op or a model.
inline constexpr std::string_view kSourceFile = "obj.py";
/// Returns the value of an op whose source code has the digest.
std::string opValue(std::string_view source_digest, wire::Spelling spelling);

/// Creates a row to store from valid JSON: compact, with internal refs. @return the errors of
/// internalizeRefs().
Result<NewRow> newRow(std::string_view json, RefProjects& projects);

}  // namespace spindle::objects
