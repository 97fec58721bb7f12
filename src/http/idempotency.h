#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "base/crypto.h"
#include "base/result.h"
#include "http/error_body.h"
#include "http/message.h"

namespace spindle::http {

/// The promise behind one Idempotency-Key: who made it, for what, with which body.
struct IdempotencyClaim {
  std::string user_id;
  std::string operation;  ///< method and path
  std::string key;
  Sha256 digest{};  ///< of the request body
};

/// An answer as it is kept for a replay.
struct StoredAnswer {
  int status = 200;
  std::string content_type;
  std::string etag;
  std::string location;
  std::string body;
};

/// Remembers the answers to POSTs that carry an Idempotency-Key. A port: identity keeps them, since
/// they belong to a caller. Thread-safe, may block.
class IdempotencyStore {
 public:
  virtual ~IdempotencyStore() = default;

  struct Fresh {};       ///< go on; then settle() or abandon()
  struct InProgress {};  ///< the first request with this key is still at work
  struct Reused {};      ///< the key came before with another body
  using Outcome = std::variant<Fresh, InProgress, Reused, StoredAnswer>;

  virtual Result<Outcome> begin(const IdempotencyClaim& claim) = 0;
  virtual Result<void> settle(const IdempotencyClaim& claim, const StoredAnswer& answer) = 0;
  virtual void abandon(const IdempotencyClaim& claim) = 0;
};

/// Runs a POST under its Idempotency-Key: replays the kept answer, refuses a key that is in use or
/// was used with another body, or runs `work` and keeps what it answers, success only: a refused
/// request may be mended and sent again with the same key.
Response runIdempotently(IdempotencyStore& store, const Request& request, ErrorShape shape,
                         const std::function<Response()>& work);

}  // namespace spindle::http
