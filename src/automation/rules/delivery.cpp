#include "automation/rules/delivery.h"

#include <array>
#include <charconv>
#include <limits>

#include "automation/payloads/named_value.h"

namespace spindle::automation {
namespace {

constexpr std::array kDeliveryStatusNames = {
    NamedValue<DeliveryStatus>{"pending", DeliveryStatus::kPending},
    NamedValue<DeliveryStatus>{"in_flight", DeliveryStatus::kInFlight},
    NamedValue<DeliveryStatus>{"retrying", DeliveryStatus::kRetrying},
    NamedValue<DeliveryStatus>{"succeeded", DeliveryStatus::kSucceeded},
    NamedValue<DeliveryStatus>{"failed", DeliveryStatus::kFailed},
    NamedValue<DeliveryStatus>{"cancelled", DeliveryStatus::kCancelled},
    NamedValue<DeliveryStatus>{"skipped", DeliveryStatus::kSkipped},
};

}  // namespace

std::string_view textOf(DeliveryStatus status) {
  return nameIn<DeliveryStatus>(kDeliveryStatusNames, status);
}

std::optional<DeliveryStatus> deliveryStatusOf(std::string_view text) {
  return valueIn<DeliveryStatus>(kDeliveryStatusNames, text);
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
