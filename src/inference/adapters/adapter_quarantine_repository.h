#pragma once

#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "inference/engines/adapter_quarantine.h"
#include "storage/database/forward.h"

namespace spindle::inference {

/// Stores quarantined adapters in the metadata database. Thread-safe; calls block on the database
/// and may return kUnavailable.
class AdapterQuarantineRepository final : public AdapterQuarantine {
 public:
  AdapterQuarantineRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  Result<void> add(const AdapterCrash& crash) override;
  Result<bool> contains(std::string_view id);
  /// Returns up to 1,000 quarantined adapters, the newest first.
  Result<std::vector<QuarantinedAdapter>> list();
  /// Releases an adapter, so that engines load it again. @return kNotFound.
  Result<void> remove(std::string_view id);

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::inference
