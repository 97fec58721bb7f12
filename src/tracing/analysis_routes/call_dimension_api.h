#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"
#include "objects/values/ref_conversion.h"
#include "schema/type.h"
#include "wire/spelling.h"

namespace spindle::tracing {

/// The name of a dimension that calls are grouped by.
schema::Codec<std::string> dimensionCodec();

/// Converts stored values of a dimension to the form of one reader. `projects` must outlive it.
struct DimensionReader {
  objects::RefProjects& projects;
  wire::Spelling spelling = wire::Spelling::kNeutral;

  /// @return errors of `projects`.
  Result<std::string> external(std::string_view dimension, std::string_view value) const;
};

}  // namespace spindle::tracing
