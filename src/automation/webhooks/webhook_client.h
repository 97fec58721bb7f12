#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "automation/payloads/outbound_headers.h"
#include "http/client/egress_policy.h"

namespace spindle::http {
class Client;
}

namespace spindle::automation {

/// A complete request of a webhook.
struct OutboundRequest {
  std::string url;
  HeaderList headers;
  std::string body;
};

/// The stored part of an endpoint's response.
struct EndpointResponse {
  int status = 0;
  HeaderList headers;      ///< the first 8 KiB
  std::string body;        ///< the first 16 KiB
  bool truncated = false;  ///< the stored body is incomplete
};

/// The outcome of one attempt: a response or an error.
struct Attempt {
  std::optional<EndpointResponse> response = {};
  /// `dns_error`, `connect_error`, `tls_error`, `timeout`, `blocked_address`, `url_not_allowed`,
  /// `bad_header`; empty if there is a response.
  std::string error_code = {};
  std::string error_message = {};
  std::string remote_ip = {};  ///< of the used connection, or of the last one tried; may be empty
  std::chrono::milliseconds duration{0};

  /// Returns true for a response status from 200 to 299.
  bool succeeded() const { return response && response->status >= 200 && response->status < 300; }
};

/// Sends requests to webhook endpoints. Does not follow redirects, reads at most 64 KiB of a
/// response, and limits an attempt to the timeout. Checks every address immediately before
/// connecting. Errors are coarse, so that users who configure a webhook learn nothing about the
/// network of the server. Thread-safe.
class WebhookClient {
 public:
  /// The client must outlive this object.
  WebhookClient(http::Client& client,
                http::EgressPolicy rules,
                std::chrono::milliseconds timeout = std::chrono::seconds(15))
      : client_(client),
        rules_(std::make_shared<const http::EgressPolicy>(std::move(rules))),
        timeout_(timeout) {}

  /// Returns why a webhook must not call this URL, or nothing.
  std::optional<std::string> problemOf(std::string_view url) const;

  /// Sends a request. Calls `done` once, immediately or on the client's I/O thread; it must not
  /// block.
  void post(const OutboundRequest& request, std::function<void(Attempt)> done) const;
  /// Sends a request and blocks until the attempt ends. Must not run on the client's I/O thread.
  Attempt send(const OutboundRequest& request) const;

 private:
  http::Client& client_;
  /// Shared with exchanges that outlive post().
  const std::shared_ptr<const http::EgressPolicy> rules_;
  const std::chrono::milliseconds timeout_;
};

/// Masks credentials in the response of an endpoint.
void maskResponse(Attempt& attempt, const Credentials& credentials);

/// Returns the host of a URL, for users who may not see the rest; empty if the URL is invalid.
std::string hostOf(std::string_view url);

}  // namespace spindle::automation
