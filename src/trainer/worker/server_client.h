#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/crypto/secret.h"
#include "http/client/client.h"

namespace spindle::trainer {

/// Sends requests to the server (docs/trainer_protocol.md). Retries with back-off while the server
/// does not respond, so a server restart only costs time. Logs once when the server becomes
/// unreachable and once when it responds again. Local files that cannot be read or written give
/// kUnavailable because of kTrainerAtFault. Blocks; thread-safe.
class ServerClient {
 public:
  /// Calls `keep_trying` between attempts. All arguments must outlive this object.
  ServerClient(http::Client& client,
               const std::string& url,
               Secret key,
               std::function<bool()> keep_trying);

  struct Response {
    int status = 0;
    std::string body;
  };

  /// Sends a POST request. @return kUnavailable if `keep_trying` returned false; kConflict for 409;
  /// kPermissionDenied; kUnauthenticated; kInvalidArgument for other rejections
  Result<Response> post(std::string_view path, std::string_view lease, std::string body);
  /// Sends a long-polling POST request, which is cancelled when `keep_trying` returns false. Sends
  /// `brief` instead of `body` while the server is unreachable, because it gets an immediate
  /// response.
  Result<Response> wait(std::string_view path, const std::string& body, const std::string& brief);
  /// Uploads a file.
  Result<void> put(std::string_view path, std::string_view lease, const std::string& file);
  /// Downloads to a file. Writes a temporary file and renames it when it is complete.
  Result<void> get(std::string_view path, std::string_view lease, const std::string& file);

 private:
  http::ClientRequest request(http::Method method,
                              std::string_view path,
                              std::string_view lease) const;
  Result<Response> send(const std::function<Result<Response>()>& once);
  /// Makes one attempt. Passes the body of a 200 to `take` if given; otherwise returns it.
  Result<Response> receive(http::ClientRequest call,
                           const std::function<void(std::string_view bytes)>& take);
  void pauseFor(std::chrono::milliseconds time) const;
  void logUnreachable(const std::string& reason);
  void logReachable();

  http::Client& client_;
  const std::string url_;
  const Secret key_;
  const std::function<bool()> keep_trying_;
  std::atomic<bool> unreachable_{false};
};

}  // namespace spindle::trainer
