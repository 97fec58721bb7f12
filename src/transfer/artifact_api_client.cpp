#include "transfer/artifact_api_client.h"

#include <memory>
#include <utility>

namespace spindle::transfer {
namespace {

using http::Method;

Error statusError(const ApiResponse& response) {
  Error error = toError(response);
  switch (response.status) {
    case 403:
      return Error::denied(error.message());
    case 404:
      return Error::notFound(error.message());
    case 409:
      return Error::conflict(error.message());
    case 413:
    case 422:
      return Error::invalidArgument(error.message());
    default:
      return error;
  }
}

bool isSuccess(const ApiResponse& response) {
  return response.status >= 200 && response.status < 300;
}

}  // namespace

Result<std::string> ArtifactApiClient::send(http::ClientRequest request) {
  Result<ApiResponse> response = connection_.fetch(std::move(request));
  if (!response) return connection_.noResponse(response.error());
  if (!isSuccess(*response)) return statusError(*response);
  return std::move(response->body);
}

Result<std::string> ArtifactApiClient::get(const std::string& path) {
  return send(connection_.request(Method::kGet, path));
}

Result<std::string> ArtifactApiClient::post(const std::string& path, std::string body) {
  http::ClientRequest request = connection_.request(Method::kPost, path);
  if (!body.empty()) request.headers.add("Content-Type", "application/json");
  request.body = std::move(body);
  return send(std::move(request));
}

Result<std::string> ArtifactApiClient::put(const std::string& path) {
  return send(connection_.request(Method::kPut, path));
}

Result<std::string> ArtifactApiClient::remove(const std::string& path) {
  return send(connection_.request(Method::kDelete, path));
}

Result<void> ArtifactApiClient::upload(const std::string& url,
                                       const std::string& md5,
                                       const std::string& file,
                                       std::uint64_t size,
                                       const std::function<void(std::uint64_t)>& sent) {
  http::ClientRequest request;
  request.method = Method::kPut;
  request.url = url;
  request.headers.add("Content-MD5", md5);
  request.timeout = kRequestTimeout;
  request.body_source = fileBody(file, size, sent);
  TRY(send(std::move(request)));
  sent(size);
  return {};
}

Result<void> ArtifactApiClient::download(
    const std::string& path,
    std::uint64_t offset,
    const std::function<Result<void>(std::string_view)>& take) {
  http::ClientRequest request = connection_.request(Method::kGet, path);
  if (offset > 0) request.headers.add("Range", "bytes=" + std::to_string(offset) + "-");
  const ApiResponse response = TRY(connection_.stream(std::move(request), take));
  if (!isSuccess(response)) return statusError(response);
  return {};
}

}  // namespace spindle::transfer
