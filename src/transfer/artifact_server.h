#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "transfer/http_call_server.h"

namespace spindle::transfer {

/// The artifact API of a server. One thread; calls block. What the server refuses is an error with
/// the server's own words: kNotFound, kPermissionDenied, kConflict, kInvalidArgument, or kUpstream
/// for the rest.
class ArtifactServer {
 public:
  /// @throws std::runtime_error when the certificates cannot be read.
  explicit ArtifactServer(ServerAddress address);
  ~ArtifactServer();
  ArtifactServer(const ArtifactServer&) = delete;
  ArtifactServer& operator=(const ArtifactServer&) = delete;

  // Each returns the body of the answer.
  Result<std::string> get(const std::string& path);
  Result<std::string> post(const std::string& path, std::string body);
  Result<std::string> put(const std::string& path);
  Result<std::string> remove(const std::string& path);

  /// Sends a file to an upload URL piece by piece. `sent` is told how much has gone, on another
  /// thread while this one waits.
  Result<void> upload(const std::string& url,
                      const std::string& md5,
                      const std::string& file,
                      std::uint64_t size,
                      const std::function<void(std::uint64_t)>& sent);

  /// Reads a file from `offset` on, and hands the bytes over as they come.
  Result<void> download(const std::string& path,
                        std::uint64_t offset,
                        const std::function<Result<void>(std::string_view)>& take);

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace spindle::transfer
