#pragma once

#include <string>

#include "transfer/call_api_client.h"
#include "transfer/server_connection.h"

namespace spindle::transfer {

/// CallApiClient over HTTP, with keep-alive connections.
class HttpCallApiClient final : public CallApiClient {
 public:
  /// @throws std::runtime_error when ca_file cannot be read.
  explicit HttpCallApiClient(ServerAddress address);

  Result<ApiResponse> post(const std::string& path, std::string body) override;
  Result<ApiResponse> stream(const std::string& path, std::string body, const Take& take) override;

 private:
  http::ClientRequest postRequest(const std::string& path, std::string body) const;

  ServerConnection connection_;
};

}  // namespace spindle::transfer
