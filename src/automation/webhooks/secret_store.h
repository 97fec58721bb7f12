#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "automation/payloads/credentials.h"
#include "automation/webhooks/versioned_row.h"
#include "base/core/result.h"
#include "base/crypto/sealer.h"
#include "identity/store/page.h"
#include "identity/store/row_version.h"
#include "storage/database/forward.h"

namespace spindle::automation {

inline constexpr std::string_view kSecretNamePattern = "^[A-Za-z_][A-Za-z0-9_]{0,63}$";
inline constexpr std::size_t kMaxSecretBytes = 64UL * 1024;

/// Identifies a secret of a team. Borrows its texts.
struct SecretKey {
  std::string_view team_id;
  std::string_view name;
};

/// The properties of a secret without its value.
struct SecretEntry : VersionedRow {
  std::string name;
  std::int64_t used_by_count = 0;  ///< webhooks that refer to the secret
};

/// The encrypted secrets of teams (AES-256-GCM, bound to team, name and version). The store returns
/// values only as Credentials. Thread-safe; calls block on the database and may also return
/// kUnavailable.
class SecretStore {
 public:
  /// `key` is derived from the server's secret key for this purpose only.
  SecretStore(storage::Database& database, const Clock& clock, const Sha256& key);

  /// Inserts a secret. @return kConflict (`secret_name_taken`).
  Result<SecretEntry> insert(const SecretKey& key, const Secret& value);

  /// Replaces the value. For 24 hours, the previous value signs in addition to the new one.
  /// @return kNotFound, kPreconditionFailed.
  Result<SecretEntry> rotate(const SecretKey& key,
                             const Secret& value,
                             identity::IfVersion if_version = {});

  /// @return kNotFound, kPreconditionFailed, kConflict (`secret_in_use`) unless `force`.
  Result<void> remove(const SecretKey& key, bool force, identity::IfVersion if_version = {});

  Result<identity::Page<SecretEntry>> list(std::string_view team_id,
                                           const identity::PageRequest& page);

  /// Decrypts the secrets that a webhook of the team refers to.
  /// @return kUnprocessable (`secret_unavailable`) if one is missing or cannot be decrypted.
  Result<Credentials> resolve(std::string_view team_id,
                              const std::optional<std::string>& access_token_ref,
                              const std::optional<std::string>& secret_ref);

  /// Deletes previous values 24 hours after the rotation. @return the number of deleted values.
  Result<std::int64_t> deleteRotated();

 private:
  storage::Database& database_;
  const Clock& clock_;
  const Sealer sealer_;
  const std::string key_id_;  ///< identifies the key that encrypted a value, without revealing it
};

}  // namespace spindle::automation
