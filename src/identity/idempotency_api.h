#pragma once

#include "http/idempotency.h"
#include "identity/idempotency_store.h"

namespace spindle::identity {

/// Adapts IdempotencyStore to the router's interface. The store must outlive it.
class StoredIdempotency final : public http::IdempotencyLedger {
 public:
  explicit StoredIdempotency(IdempotencyStore& store) : store_(store) {}

  Result<http::LedgerEntry> begin(const http::KeyedPost& post) override;
  Result<void> finish(const http::LedgerEntry& entry, const http::KeptAnswer& answer) override;
  Result<void> abandon(const http::LedgerEntry& entry) override;

 private:
  IdempotencyStore& store_;
};

}  // namespace spindle::identity
