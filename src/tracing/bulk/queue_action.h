#pragma once

#include "tracing/bulk/bulk_action.h"

namespace spindle::tracing {

class AnnotationItemRepository;
class AnnotationQueueRepository;
class CallStore;

/// Adds calls to an annotation queue; calls in the queue stay once.
class QueueAction final : public BulkAction {
 public:
  /// All arguments must outlive this object.
  QueueAction(CallStore& calls, AnnotationQueueRepository& queues, AnnotationItemRepository& items)
      : calls_(calls), queues_(queues), items_(items) {}

  std::int64_t maxCalls() const override { return 100'000; }
  std::size_t batchSize() const override { return 500; }
  Result<std::string> prepare(const BulkScope& scope, std::string_view parameters) const override;
  Result<BulkResult> apply(const BulkWork& work,
                           const std::vector<std::string>& call_ids) const override;

 private:
  CallStore& calls_;
  AnnotationQueueRepository& queues_;
  AnnotationItemRepository& items_;
};

}  // namespace spindle::tracing
