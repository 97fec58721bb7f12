#include "tracing/ingest/ingest_budget.h"

#include <algorithm>
#include <limits>

namespace spindle::tracing {
namespace {

std::string requestReason(const IngestLimits& limits) {
  return "The request would take more than " + std::to_string(limits.stored_request) +
         " bytes in the trace store (limits.stored_request). Send it in smaller parts.";
}

std::string growthReason(const IngestLimits& limits, std::size_t request_bytes) {
  return "The request of " + std::to_string(request_bytes) + " bytes would take more than " +
         std::to_string(limits.stored_growth) +
         " times its size in the trace store (limits.stored_growth). Send it in smaller parts, or "
         "with fewer empty spans, events and links.";
}

std::size_t growthBound(const IngestLimits& limits, std::size_t request_bytes) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  if (request_bytes >
      (kMost - IngestBudget::kFreeBytes) / std::max<std::size_t>(limits.stored_growth, 1))
    return kMost;
  return IngestBudget::kFreeBytes + limits.stored_growth * request_bytes;
}

}  // namespace

IngestBudget::IngestBudget(const IngestLimits& limits)
    : most_(limits.stored_request), reason_(requestReason(limits)) {}

IngestBudget::IngestBudget(const IngestLimits& limits, std::size_t request_bytes)
    : most_(std::min(limits.stored_request, growthBound(limits, request_bytes))),
      reason_(most_ == limits.stored_request ? requestReason(limits)
                                             : growthReason(limits, request_bytes)) {}

Result<void> IngestBudget::add(std::size_t stored_bytes) {
  if (stored_bytes > most_ - std::min(used_, most_)) return Error(ErrorCode::kTooLarge, reason_);
  used_ += stored_bytes;
  return {};
}

}  // namespace spindle::tracing
