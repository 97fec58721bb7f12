#pragma once

#include <memory>
#include <string>

#include "base/crypto/secret.h"
#include "transfer/call_api_client.h"

namespace spindle::transfer {

struct ServerAddress {
  std::string url;           ///< `http://127.0.0.1:8080`
  Secret key;                ///< API key
  std::string ca_file = {};  ///< CA certificates that replace those of the system; may be empty
};

/// CallApiClient over HTTP, with keep-alive connections.
class HttpCallApiClient final : public CallApiClient {
 public:
  /// @throws std::runtime_error when ca_file cannot be read.
  explicit HttpCallApiClient(ServerAddress address);
  ~HttpCallApiClient() override;

  Result<ApiResponse> post(const std::string& path, std::string body) override;
  Result<ApiResponse> stream(const std::string& path, std::string body, const Take& take) override;

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace spindle::transfer
