#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "http/message/message.h"
#include "http/router/error_body.h"

namespace spindle::http {

/// A POST request with an Idempotency-Key. The views are valid as long as the request.
struct IdempotentPost {
  std::string_view user_id;
  std::string_view method;
  std::string_view path;
  std::string_view key;
  std::string_view body;
};

/// A response that is stored for a replay.
struct StoredResponse {
  int status = 200;
  std::vector<Headers::Field> headers;
  std::string body;
};

/// A running POST request, or the stored response of an earlier one with the same key.
struct IdempotencyRecord {
  std::string id;
  std::string lease;
  std::optional<StoredResponse> replay;
};

/// Stores the responses to POST requests with an Idempotency-Key. An interface that the identity
/// area implements, because the responses belong to a principal. Thread-safe; may block.
class IdempotencyRecords {
 public:
  virtual ~IdempotencyRecords() = default;

  /// @return kConflict while the first request with this key is running; kInvalidSchema if the key
  /// was used with another body; kUnavailable.
  virtual Result<IdempotencyRecord> begin(const IdempotentPost& post) = 0;
  virtual Result<void> finish(const IdempotencyRecord& entry, const StoredResponse& answer) = 0;
  virtual Result<void> abandon(const IdempotencyRecord& entry) = 0;
};

/// Runs a POST request with an Idempotency-Key: replays the stored response, or runs `work` and
/// stores its response. Only a success is stored, so that the client can correct a refused request
/// and send it again with the same key.
Response runIdempotently(IdempotencyRecords& records,
                         const Request& request,
                         ErrorShape shape,
                         const std::function<Response()>& work);

}  // namespace spindle::http
