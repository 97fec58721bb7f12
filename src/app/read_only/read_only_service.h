#pragma once

#include <string_view>

#include "http/message/message.h"

namespace spindle::app {

/// Returns true for a request that a read-only server executes: GET, HEAD and OPTIONS except for
/// sign-ins, and POST requests that only read, such as queries. Unknown requests are writes.
bool isReadRequest(http::Method method, std::string_view path);

/// Passes requests that read to the inner service, which it must not outlive, and refuses all
/// others with 503 before their body is read.
class ReadOnlyService final : public http::Service {
 public:
  explicit ReadOnlyService(const http::Service& inner) : inner_(inner) {}

  http::Admission admit(const http::Request& head) const override;
  std::optional<http::Response> checkCredential(http::Request& head) const override {
    return inner_.checkCredential(head);
  }
  std::optional<http::Response> handleOnIoThread(http::Request& request) const override {
    return inner_.handleOnIoThread(request);
  }
  http::Response handle(http::Request& request) const override { return inner_.handle(request); }

 private:
  const http::Service& inner_;
};

}  // namespace spindle::app
