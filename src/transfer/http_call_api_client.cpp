#include "transfer/http_call_api_client.h"

#include <optional>
#include <utility>

namespace spindle::transfer {
namespace {

ServerAddress withoutTrailingSlashes(ServerAddress address) {
  while (address.url.ends_with('/')) address.url.pop_back();
  return address;
}

}  // namespace

HttpCallApiClient::HttpCallApiClient(ServerAddress address)
    : connection_(withoutTrailingSlashes(std::move(address))) {}

http::ClientRequest HttpCallApiClient::postRequest(const std::string& path,
                                                   std::string body) const {
  http::ClientRequest request = connection_.request(http::Method::kPost, path);
  request.headers.add("Content-Type", "application/json");
  request.body = std::move(body);
  return request;
}

Result<ApiResponse> HttpCallApiClient::post(const std::string& path, std::string body) {
  Result<ApiResponse> response = connection_.fetch(postRequest(path, std::move(body)));
  if (!response) return connection_.noResponse(response.error());
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
  Result<ApiResponse> response = connection_.stream(postRequest(path, std::move(body)), tried);
  if (response) return response;
  return refused ? *std::move(refused) : connection_.noResponse(response.error());
}

}  // namespace spindle::transfer
