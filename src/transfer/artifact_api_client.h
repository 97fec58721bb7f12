#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/result.h"
#include "transfer/server_connection.h"

namespace spindle::transfer {

/// Client of the artifact API of a server. For one thread; calls block. A rejected request is an
/// error with the server's message: kNotFound, kPermissionDenied, kConflict, kInvalidArgument, or
/// kUpstream for other statuses.
class ArtifactApiClient {
 public:
  /// @throws std::runtime_error when the certificates cannot be read.
  explicit ArtifactApiClient(ServerAddress address) : connection_(std::move(address)) {}

  // Each returns the body of the response.
  Result<std::string> get(const std::string& path);
  Result<std::string> post(const std::string& path, std::string body);
  Result<std::string> put(const std::string& path);
  Result<std::string> remove(const std::string& path);

  /// Uploads a file to an upload URL in chunks. Calls `sent` with the number of bytes sent so far,
  /// on another thread while this one waits.
  Result<void> upload(const std::string& url,
                      const std::string& md5,
                      const std::string& file,
                      std::uint64_t size,
                      const std::function<void(std::uint64_t)>& sent);

  /// Downloads a file from `offset` on, and passes the bytes to `take` as they arrive.
  Result<void> download(const std::string& path,
                        std::uint64_t offset,
                        const std::function<Result<void>(std::string_view)>& take);

 private:
  Result<std::string> send(http::ClientRequest request);

  ServerConnection connection_;
};

}  // namespace spindle::transfer
