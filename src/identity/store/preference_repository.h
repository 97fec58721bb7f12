#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/core/time.h"
#include "identity/store/row_version.h"
#include "storage/database/forward.h"

namespace spindle::identity {

/// The preferences of a user: a JSON object whose members the server does not interpret.
struct Preferences {
  std::string json = "{}";
  std::int64_t version = 0;  ///< 0: never stored
};

/// SQL access to the preferences of users. Thread-safe; calls block on the database and may return
/// kUnavailable.
class PreferenceRepository {
 public:
  PreferenceRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  Result<Preferences> find(std::string_view user_id);
  /// Replaces the preferences. `json` is the text of a valid JSON object.
  /// @return kPreconditionFailed; kConflict if the user was deleted meanwhile.
  Result<Preferences> put(std::string_view user_id,
                          std::string_view json,
                          IfVersion if_version = {});

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::identity
