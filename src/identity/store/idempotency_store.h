#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "base/crypto/crypto.h"
#include "storage/database/forward.h"

namespace spindle::identity {

/// A request with an Idempotency-Key.
struct IdempotentRequest {
  std::string_view caller_id;
  std::string_view method;
  std::string_view path;
  std::string_view key;
  std::string_view body;
};

/// A response as it was sent.
struct RecordedResponse {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

/// The result of begin(): the lease of a request to execute now, or its earlier response.
struct IdempotencyClaim {
  std::string id;
  std::string lease;  ///< checked by finish() and abandon()
  std::optional<RecordedResponse> replay;
};

/// Stores the responses to POST requests with an Idempotency-Key for 24 hours, by caller, method
/// and path, so that a repeated request is not executed twice. Responses are encrypted, because
/// they may contain a new API key. Thread-safe; calls block on the database and may return
/// kUnavailable.
class IdempotencyStore {
 public:
  /// `seal_key` is derived from the server's secret key for this purpose only.
  IdempotencyStore(storage::Database& database, const Clock& clock, const Sha256& seal_key)
      : database_(database), clock_(clock), seal_key_(seal_key) {}

  /// Leases the key for a request, or returns the stored response. A request that has not finished
  /// within a minute counts as failed, and the next request takes over its lease.
  /// @return kConflict (`idempotency_in_progress`) while the first request runs, kInvalidSchema
  /// (type `idempotency_key_reused`) when the key was used with another body.
  Result<IdempotencyClaim> begin(const IdempotentRequest& request);

  /// Stores the response of a request that begin() leased.
  Result<void> finish(const IdempotencyClaim& claim, const RecordedResponse& response);

  /// Deletes the record of a request that changed nothing (rejected, or failed internally), so that
  /// the client can retry with the same key.
  Result<void> abandon(const IdempotencyClaim& claim);

 private:
  storage::Database& database_;
  const Clock& clock_;
  const Sha256 seal_key_;
};

}  // namespace spindle::identity
