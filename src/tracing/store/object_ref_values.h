#pragma once

#include "tracing/store/ref_values.h"

namespace spindle::objects {
class RefReader;
}

namespace spindle::tracing {

/// Looks up references among the objects of the project itself.
class ObjectRefValues final : public RefValues {
 public:
  /// The reader must outlive this object.
  explicit ObjectRefValues(const objects::RefReader& reader) : reader_(reader) {}

  Result<std::vector<std::optional<std::string>>> valuesOf(
      std::string_view project_id, const std::vector<std::string>& refs) override;

 private:
  const objects::RefReader& reader_;
};

}  // namespace spindle::tracing
