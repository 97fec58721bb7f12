#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/crypto/secret.h"
#include "base/crypto/secret_filter.h"
#include "evaluation/scoring/model_port.h"

namespace spindle::http {
class Client;
struct Response;
}  // namespace spindle::http

namespace spindle::evaluation {

/// Returns the error for a response with a status other than 200.
Error upstreamErrorOf(const http::Response& response);

struct UpstreamOptions {
  std::string url;  ///< base URL that ends with `/v1`; empty: no upstream
  Secret key;       ///< empty: no Authorization header
  std::chrono::milliseconds timeout{120'000};
};

/// Sends chat completions to an OpenAI-compatible API. Errors contain neither the URL nor the key.
/// Thread-safe.
class UpstreamClient final : public ModelPort {
 public:
  /// The client must outlive this object.
  UpstreamClient(http::Client& client, UpstreamOptions options)
      : client_(client), options_(std::move(options)), filter_(options_.key) {}

  Result<ModelAnswer> complete(const ModelRequest& request, const std::stop_token& stop) override;

 private:
  http::Client& client_;
  const UpstreamOptions options_;
  const SecretFilter filter_;  ///< removes the key from responses of the upstream
};

}  // namespace spindle::evaluation
