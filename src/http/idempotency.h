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

/// A POST that carries an Idempotency-Key, for as long as the request lives.
struct KeyedPost {
  std::string_view user_id;
  std::string_view method;
  std::string_view path;
  std::string_view key;
  std::string_view body;
};

/// An answer as it is kept for a replay.
struct KeptAnswer {
  int status = 200;
  std::vector<Headers::Field> headers;
  std::string body;
};

/// A POST under way, or the answer it was given before.
struct LedgerEntry {
  std::string id;
  std::string lease;
  std::optional<KeptAnswer> replay;
};

/// Remembers the answers to POSTs that carry an Idempotency-Key. A port: identity keeps them, since
/// they belong to a caller. Thread-safe, may block.
class IdempotencyLedger {
 public:
  virtual ~IdempotencyLedger() = default;

  /// @return kConflict while the first request with this key is at work; kInvalidSchema when the
  /// key came before with another body; kUnavailable.
  virtual Result<LedgerEntry> begin(const KeyedPost& post) = 0;
  virtual Result<void> finish(const LedgerEntry& entry, const KeptAnswer& answer) = 0;
  virtual Result<void> abandon(const LedgerEntry& entry) = 0;
};

/// Runs a POST under its Idempotency-Key: replays the kept answer, or runs `work` and keeps what it
/// answers, success only: a refused request may be mended and sent again with the same key.
Response runIdempotently(IdempotencyLedger& ledger,
                         const Request& request,
                         ErrorShape shape,
                         const std::function<Response()>& work);

}  // namespace spindle::http
