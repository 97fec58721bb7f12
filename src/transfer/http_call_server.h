#pragma once

#include <memory>
#include <string>

#include "base/secret.h"
#include "transfer/call_server.h"

namespace spindle::transfer {

struct ServerAddress {
  std::string url;           ///< `http://127.0.0.1:8080`
  Secret key;                ///< API key
  std::string ca_file = {};  ///< CA certificates that replace those of the system; may be empty
};

/// CallServer over HTTP, with keep-alive connections.
class HttpCallServer final : public CallServer {
 public:
  /// @throws std::runtime_error when ca_file cannot be read.
  explicit HttpCallServer(ServerAddress address);
  ~HttpCallServer() override;

  Result<Answer> post(const std::string& path, std::string body) override;
  Result<Answer> stream(const std::string& path, std::string body, const Take& take) override;

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace spindle::transfer
