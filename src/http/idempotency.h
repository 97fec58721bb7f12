#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/error_body.h"
#include "http/message.h"

namespace spindle::http {

/// A POST request with an Idempotency-Key. The views are valid as long as the request.
struct KeyedPost {
  std::string_view user_id;
  std::string_view method;
  std::string_view path;
  std::string_view key;
  std::string_view body;
};

/// A response that is stored for a replay.
struct KeptAnswer {
  int status = 200;
  std::vector<Headers::Field> headers;
  std::string body;
};

/// A running POST request, or the stored response of an earlier one with the same key.
struct LedgerEntry {
  std::string id;
  std::string lease;
  std::optional<KeptAnswer> replay;
};

/// Stores the responses to POST requests with an Idempotency-Key. An interface that the identity
/// area implements, because the responses belong to a principal. Thread-safe; may block.
class IdempotencyLedger {
 public:
  virtual ~IdempotencyLedger() = default;

  /// @return kConflict while the first request with this key is running; kInvalidSchema if the key
  /// was used with another body; kUnavailable.
  virtual Result<LedgerEntry> begin(const KeyedPost& post) = 0;
  virtual Result<void> finish(const LedgerEntry& entry, const KeptAnswer& answer) = 0;
  virtual Result<void> abandon(const LedgerEntry& entry) = 0;
};

/// Runs a POST request with an Idempotency-Key: replays the stored response, or runs `work` and
/// stores its response. Only a success is stored, so that the client can correct a refused request
/// and send it again with the same key.
Response runIdempotently(IdempotencyLedger& ledger,
                         const Request& request,
                         ErrorShape shape,
                         const std::function<Response()>& work);

}  // namespace spindle::http
