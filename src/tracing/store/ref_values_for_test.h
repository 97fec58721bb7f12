#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracing/store/ref_values.h"

namespace spindle::tracing {

/// Finds no value for any reference.
class NoRefValuesForTest final : public RefValues {
 public:
  Result<std::vector<std::optional<std::string>>> valuesOf(
      std::string_view /*project_id*/, const std::vector<std::string>& refs) override {
    return std::vector<std::optional<std::string>>(refs.size());
  }
};

}  // namespace spindle::tracing
