#pragma once

#include "http/router/idempotency.h"
#include "identity/store/idempotency_store.h"

namespace spindle::identity {

/// Adapts IdempotencyStore to the router's interface. The store must outlive it.
class DatabaseIdempotencyRecords final : public http::IdempotencyRecords {
 public:
  explicit DatabaseIdempotencyRecords(IdempotencyStore& store) : store_(store) {}

  Result<http::IdempotencyRecord> begin(const http::IdempotentPost& post) override;
  Result<void> finish(const http::IdempotencyRecord& entry,
                      const http::StoredResponse& response) override;
  Result<void> abandon(const http::IdempotencyRecord& entry) override;

 private:
  IdempotencyStore& store_;
};

}  // namespace spindle::identity
