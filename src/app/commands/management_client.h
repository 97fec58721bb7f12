#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "http/client/client.h"
#include "json/document.h"
#include "transfer/http_call_api_client.h"

namespace spindle::app {

/// Client of the management API of a running server. Every call blocks until the response arrives.
class ManagementClient {
 public:
  explicit ManagementClient(transfer::ServerAddress address);

  /// Sends a request to `/api/v1` + `path`. @return the response body; an empty object when there
  /// is none. @throws std::runtime_error with the server's message on an error status.
  json::Document ask(http::Method method, const std::string& path, std::string body = {});

  /// Calls `take` with every item of a paged list. @throws std::runtime_error as ask().
  void each(const std::string& path, const std::function<void(const json::Node& item)>& take);

  /// Returns the response with any status. @throws std::runtime_error when there is no response.
  http::Response send(http::Method method, const std::string& path, std::string body);

  /// Sends a file as the body of a PUT request to `/api/v1` + `path`. Calls `sent` with the number
  /// of bytes sent so far, on another thread while this one waits.
  /// @return and @throws as ask().
  json::Document upload(const std::string& path,
                        const std::string& file,
                        std::uint64_t size,
                        const std::function<void(std::uint64_t)>& sent);

  /// Sets the timeout of the following requests.
  void setTimeout(std::chrono::milliseconds timeout) { timeout_ = timeout; }

 private:
  /// Returns a request to `/api/v1` + `path` with the API key.
  http::ClientRequest request(http::Method method, const std::string& path) const;
  http::Response fetch(http::ClientRequest request);

  const transfer::ServerAddress address_;
  http::Client client_;
  std::chrono::milliseconds timeout_{30'000};
};

/// @throws std::runtime_error with the server's message when the status is 300 or above.
void requireSuccess(const http::Response& response);

/// Parses a response body as JSON. @throws std::runtime_error when it is not valid JSON.
json::Document parsedResponse(std::string body);

/// Returns a member of an object: the content of a string, otherwise its JSON. Empty when the
/// member is null or missing.
std::string memberText(const json::Node& object, std::string_view name);

/// Returns the strings of an array, separated by commas. Empty when the member is no array.
std::string memberList(const json::Node& object, std::string_view name);

}  // namespace spindle::app
