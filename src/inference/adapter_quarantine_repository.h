#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "inference/adapter_quarantine.h"

namespace spindle::storage {
class Database;
}

namespace spindle::inference {

/// Quarantined adapters in the database. Thread-safe; calls may block on the database and return
/// kUnavailable.
class AdapterQuarantineRepository final : public AdapterQuarantine {
 public:
  AdapterQuarantineRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  Result<void> add(const AdapterCrash& crash) override;
  Result<bool> contains(std::string_view id);
  /// The newest first, at most 1,000.
  Result<std::vector<QuarantinedAdapter>> list();
  /// Lets engines load the adapter again. @return kNotFound
  Result<void> remove(std::string_view id);

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::inference
