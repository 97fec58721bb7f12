#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "http/client.h"
#include "json/document.h"
#include "transfer/http_call_server.h"

namespace spindle::app {

/// The management API of a running server, as commands call it. Waits for answers.
class ApiCaller {
 public:
  explicit ApiCaller(transfer::ServerAddress address);

  /// `path` is behind /api/v1. @return the answer; an empty object when it has no body.
  /// @throws std::runtime_error with what the server says when it refuses.
  json::Document ask(http::Method method, const std::string& path, std::string body = {});

  /// Every item of a list, page after page. @throws std::runtime_error as ask().
  void each(const std::string& path, const std::function<void(const json::Node& item)>& take);

  /// The status and the answer, whatever they are. @throws std::runtime_error when none comes.
  http::Response send(http::Method method, const std::string& path, std::string body);

  /// Sets how long each of the following requests may take.
  void setTimeout(std::chrono::milliseconds timeout) { timeout_ = timeout; }

 private:
  const transfer::ServerAddress address_;
  http::Client client_;
  std::chrono::milliseconds timeout_{30'000};
};

/// @throws std::runtime_error with what the server says when it refused.
void requireSuccess(const http::Response& response);

/// A JSON text that the server sent. @throws std::runtime_error when it is none.
json::Document parsedAnswer(std::string body);

/// A member of an object as text: what a text says, else its JSON; empty when it is null or
/// missing.
std::string textIn(const json::Node& object, std::string_view name);

}  // namespace spindle::app
