#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "objects/object.h"
#include "objects/ref_conversion.h"
#include "objects/table.h"

namespace spindle::objects {

/// A value as it will be published. Its refs are internal already; the text is valid JSON.
NewObject newObject(std::string_view project_id,
                    std::string_view object_id,
                    std::string value,
                    std::string_view user_id);

/// A row as it will be stored: compact, refs internal. The text must be valid JSON.
/// @return the errors of internalizeRefs().
Result<NewRow> newRow(std::string_view json, RefProjects& projects);

}  // namespace spindle::objects
