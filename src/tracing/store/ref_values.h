#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace spindle::tracing {

/// Looks up the values of objects that references name, as JSON. Thread-safe; may block on storage.
class RefValues {
 public:
  virtual ~RefValues() = default;

  /// Returns values in the order of the internal refs; empty for a ref that does not exist or lies
  /// in another project.
  virtual Result<std::vector<std::optional<std::string>>> valuesOf(
      std::string_view project_id, const std::vector<std::string>& refs) = 0;
};

}  // namespace spindle::tracing
