#include "automation/payloads/violations.h"

#include <utility>

namespace spindle::automation {

Violation violationAt(Place place, std::string_view type, std::string message) {
  Violation violation;
  violation.type = type;
  for (const std::string_view step : place) violation.loc.emplace_back(std::string(step));
  violation.msg = std::move(message);
  return violation;
}

Violation missingAt(Place place) { return violationAt(place, "missing", "Field required"); }

Violation forbiddenAt(Place place) {
  return violationAt(place, "extra_forbidden", "Extra inputs are not permitted");
}

}  // namespace spindle::automation
