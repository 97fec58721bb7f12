#pragma once

#include "tracing/bulk/bulk_action.h"

namespace spindle::identity {
class AuditTrail;
}

namespace spindle::tracing {

class CallStore;

/// Deletes calls with their descendants. Has no parameters.
class DeleteAction final : public BulkAction {
 public:
  /// The store and the audit trail must outlive this object.
  DeleteAction(CallStore& calls, identity::AuditTrail& audit) : calls_(calls), audit_(audit) {}

  std::int64_t maxCalls() const override { return 10'000'000; }
  std::size_t batchSize() const override { return 1000; }
  Result<std::string> prepare(const BulkScope& scope, std::string_view parameters) const override;
  Result<BulkResult> apply(const BulkWork& work,
                           const std::vector<std::string>& call_ids) const override;

 private:
  CallStore& calls_;
  identity::AuditTrail& audit_;
};

}  // namespace spindle::tracing
