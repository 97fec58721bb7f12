#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/crypto.h"
#include "base/result.h"
#include "base/time.h"

namespace spindle::storage {
class Database;
}

namespace spindle::identity {

/// A request that carries an Idempotency-Key.
struct KeyedRequest {
  std::string_view caller_id;
  std::string_view method;
  std::string_view path;
  std::string_view key;
  std::string_view body;
};

/// An answer as it went out.
struct StoredAnswer {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

/// What begin() found: a request to carry out now, or the answer it was given before.
struct IdempotentStart {
  std::string id;
  std::string lease;  ///< shown again to finish() and abandon()
  std::optional<StoredAnswer> replay;
};

/// Remembers for 24 hours what was answered to a POST with an Idempotency-Key, per caller, method
/// and path, so that a repeated one is not carried out twice. Answers are encrypted, because they
/// may hold a new API key. Thread-safe; calls block on the database and may return kUnavailable.
class IdempotencyStore {
 public:
  /// `seal_key` is derived from the server's secret key for this purpose alone.
  IdempotencyStore(storage::Database& database, const Clock& clock, const Sha256& seal_key)
      : database_(database), clock_(clock), seal_key_(seal_key) {}

  /// @return kConflict (`idempotency_in_progress`) while the first request runs, kInvalidSchema
  /// (type `idempotency_key_reused`) when the key came with another body before. A request that has
  /// not finished within a minute is taken for dead, and the next one takes its place.
  Result<IdempotentStart> begin(const KeyedRequest& request);

  /// Keeps the answer of a request that begin() let through.
  Result<void> finish(const IdempotentStart& start, const StoredAnswer& answer);

  /// Forgets a request that has changed nothing (refused, or failed inside), so that it can be
  /// tried again under the same key.
  Result<void> abandon(const IdempotentStart& start);

 private:
  storage::Database& database_;
  const Clock& clock_;
  const Sha256 seal_key_;
};

}  // namespace spindle::identity
