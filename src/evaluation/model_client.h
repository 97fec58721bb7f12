#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/secret.h"
#include "base/secret_filter.h"
#include "evaluation/model_port.h"

namespace spindle::http {
class Client;
struct Response;
}  // namespace spindle::http

namespace spindle::evaluation {

/// What an answer other than 200 means for whoever asked.
Error refusalOf(const http::Response& response);

struct UpstreamOptions {
  std::string url;  ///< up to `/v1`; empty: there is none
  Secret key;       ///< empty: none is sent
  std::chrono::milliseconds timeout{120'000};
};

/// Asks an OpenAI-compatible API. Errors name neither its address nor the key. Thread-safe.
class UpstreamClient final : public ModelPort {
 public:
  /// The client must outlive this.
  UpstreamClient(http::Client& client, UpstreamOptions options)
      : client_(client), options_(std::move(options)), filter_(options_.key) {}

  Result<ModelAnswer> complete(const ModelRequest& request, const std::stop_token& stop) override;

 private:
  http::Client& client_;
  const UpstreamOptions options_;
  const SecretFilter filter_;  ///< removes the key from what the upstream answers
};

}  // namespace spindle::evaluation
