#include "automation/rules/delivery.h"

#include <charconv>
#include <cstddef>
#include <limits>

#include "automation/payloads/named_value.h"

namespace spindle::automation {

static_assert(kDeliveryStatusNames.size() ==
              static_cast<std::size_t>(DeliveryStatus::kSkipped) + 1);

std::string_view textOf(DeliveryStatus status) {
  return kDeliveryStatusNames[static_cast<std::size_t>(status)];
}

std::optional<DeliveryStatus> deliveryStatusOf(std::string_view text) {
  return valueNamed<DeliveryStatus>(kDeliveryStatusNames, text);
}

std::string_view executionStatusOf(DeliveryStatus status) {
  if (!isFinished(status)) return "PENDING";
  return status == DeliveryStatus::kSucceeded ? "FINISHED" : "FAILED";
}

bool isFinished(DeliveryStatus status) {
  return status != DeliveryStatus::kPending && status != DeliveryStatus::kInFlight &&
         status != DeliveryStatus::kRetrying;
}

std::optional<std::int64_t> positionOf(std::string_view page_end) {
  if (page_end.empty()) return std::numeric_limits<std::int64_t>::max();
  std::int64_t position = 0;
  const char* const end = page_end.data() + page_end.size();
  const auto [stop, fault] = std::from_chars(page_end.data(), end, position);
  if (fault != std::errc() || stop != end) return std::nullopt;
  return position;
}

}  // namespace spindle::automation
