#include "transfer/http_call_api_client.h"

#include <optional>
#include <utility>

#include "http/client/client.h"
#include "transfer/response_stream.h"

namespace spindle::transfer {

struct HttpCallApiClient::Connection {
  Connection(ServerAddress where, http::ClientOptions options)
      : address(std::move(where)), client(std::move(options)) {}

  http::ClientRequest request(const std::string& path, std::string body) const {
    http::ClientRequest made;
    made.method = http::Method::kPost;
    made.url = address.url + path;
    made.headers.add("Authorization", "Bearer " + std::string(address.key.reveal()));
    made.headers.add("Content-Type", "application/json");
    made.body = std::move(body);
    made.timeout = kRequestTimeout;
    return made;
  }

  Error connectionError(const Error& error) const {
    return {error.code(), "no response from " + address.url + ": " + error.message()};
  }

  const ServerAddress address;
  http::Client client;
};

HttpCallApiClient::HttpCallApiClient(ServerAddress address) {
  while (address.url.ends_with('/')) address.url.pop_back();
  http::ClientOptions options;
  options.ca_file = address.ca_file;
  connection_ = std::make_unique<Connection>(std::move(address), std::move(options));
}

HttpCallApiClient::~HttpCallApiClient() = default;

Result<ApiResponse> HttpCallApiClient::post(const std::string& path, std::string body) {
  Result<ApiResponse> response =
      fetchResponse(connection_->client, connection_->request(path, std::move(body)));
  if (!response) return connection_->connectionError(response.error());
  return response;
}

Result<ApiResponse> HttpCallApiClient::stream(const std::string& path,
                                              std::string body,
                                              const Take& take) {
  std::optional<Error> refused;
  const Take tried = [&](std::string_view bytes) -> Result<void> {
    Result<void> taken = take(bytes);
    if (!taken) refused = taken.error();
    return taken;
  };
  Result<ApiResponse> response =
      streamResponse(connection_->client, connection_->request(path, std::move(body)), tried);
  if (response) return response;
  return refused ? *std::move(refused) : connection_->connectionError(response.error());
}

}  // namespace spindle::transfer
