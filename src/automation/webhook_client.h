#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "automation/outbound_headers.h"
#include "http/target_rules.h"

namespace spindle::http {
class Client;
}

namespace spindle::automation {

/// A request that is ready to go.
struct OutboundRequest {
  std::string url;
  HeaderList headers;
  std::string body;
};

/// What an endpoint answered, as far as it is kept.
struct EndpointAnswer {
  int status = 0;
  HeaderList headers;      ///< the first 8 KiB
  std::string body;        ///< the first 16 KiB
  bool truncated = false;  ///< there was more of the body
};

/// One attempt: an answer, or why there is none.
struct Attempt {
  std::optional<EndpointAnswer> answer = {};
  /// `dns_error`, `connect_error`, `tls_error`, `timeout`, `blocked_address`, `url_not_allowed`,
  /// `bad_header`; empty with an answer.
  std::string error_code = {};
  std::string error_message = {};
  std::string remote_ip = {};  ///< of the connection that was used, or tried last; may be empty
  std::chrono::milliseconds duration{0};

  /// The endpoint took it.
  bool succeeded() const { return answer && answer->status >= 200 && answer->status < 300; }
};

/// Calls endpoints of webhooks. Redirects are not followed; at most 64 KiB of an answer are read;
/// an attempt takes 15 seconds at most, unless said otherwise. Every address is checked right
/// before connecting, and errors are coarse: who configures a webhook learns nothing about the
/// network behind the server. Thread-safe.
class WebhookClient {
 public:
  /// The client must outlive this.
  WebhookClient(http::Client& client,
                http::TargetRules rules,
                std::chrono::milliseconds timeout = std::chrono::seconds(15))
      : client_(client),
        rules_(std::make_shared<const http::TargetRules>(std::move(rules))),
        timeout_(timeout) {}

  /// Why a webhook cannot have this endpoint, or nothing.
  std::optional<std::string> problemOf(std::string_view url) const;

  /// Sends. `done` is called once, at once or on the client's I/O thread: it must not block.
  void post(const OutboundRequest& request, std::function<void(Attempt)> done) const;
  /// Sends and waits. Not for the client's I/O thread.
  Attempt send(const OutboundRequest& request) const;

 private:
  http::Client& client_;
  /// Shared with exchanges that outlive the call that began them.
  const std::shared_ptr<const http::TargetRules> rules_;
  const std::chrono::milliseconds timeout_;
};

/// Hides credentials that an endpoint sent back.
void maskAnswer(Attempt& attempt, const Credentials& credentials);

/// The host of a URL, for those who may not see the rest; empty when it cannot be read.
std::string hostOf(std::string_view url);

}  // namespace spindle::automation
