#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spindle::tracing {

/// The values of objects that references name, as JSON. Thread-safe; may block on storage.
class RefValues {
 public:
  virtual ~RefValues() = default;

  /// In the order of the refs, which are internal; empty for what does not exist or lies in another
  /// project.
  virtual Result<std::vector<std::optional<std::string>>> valuesOf(
      std::string_view project_id, const std::vector<std::string>& refs) = 0;
};

}  // namespace spindle::tracing
