#include "tracing/metadata/bulk_job.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace spindle::tracing {
namespace {

/// Names in the order of BulkActionKind.
constexpr auto kBulkActionNames =
    std::to_array<std::string_view>({"delete", "score", "add_to_queue", "add_to_dataset"});
/// Names in the order of BulkState.
constexpr auto kBulkStateNames =
    std::to_array<std::string_view>({"queued", "running", "succeeded", "failed", "cancelled"});

template <class Enum, std::size_t kCount>
Enum bulkValueNamed(const std::array<std::string_view, kCount>& names, std::string_view text) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) throw std::logic_error("unknown name in bulk_jobs");
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

std::string_view textOf(BulkActionKind kind) {
  return kBulkActionNames.at(static_cast<std::size_t>(kind));
}
BulkActionKind bulkActionOf(std::string_view text) {
  return bulkValueNamed<BulkActionKind>(kBulkActionNames, text);
}
std::string_view textOf(BulkState state) {
  return kBulkStateNames.at(static_cast<std::size_t>(state));
}
BulkState bulkStateOf(std::string_view text) {
  return bulkValueNamed<BulkState>(kBulkStateNames, text);
}

}  // namespace spindle::tracing
