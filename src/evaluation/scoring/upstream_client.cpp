#include "evaluation/scoring/upstream_client.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "evaluation/scoring/chat_completion_json.h"
#include "evaluation/scoring/scorer_text.h"
#include "http/client/client.h"

namespace spindle::evaluation {
namespace {

/// A response that the I/O thread will set. Shared ownership, because a stopped wait returns before
/// the response arrives.
struct PendingResponse {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::optional<Result<http::Response>> response;
};

Result<http::Response> fetch(http::Client& client,
                             http::ClientRequest request,
                             const std::stop_token& stop) {
  const auto pending = std::make_shared<PendingResponse>();
  client.send(std::move(request), [pending](Result<http::Response> response) {
    const std::lock_guard lock(pending->mutex);
    pending->response.emplace(std::move(response));
    pending->changed.notify_all();
  });
  std::unique_lock lock(pending->mutex);
  if (!pending->changed.wait(lock, stop, [&] { return pending->response.has_value(); }))
    return Error::unavailable("Stopped.");
  return *std::move(pending->response);
}

Error connectionError(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kTimeout:
      return {ErrorCode::kTimeout, "The upstream took too long to answer."};
    case ErrorCode::kTooLarge:
      return Error::invalidArgument("The upstream's answer is too large.");
    case ErrorCode::kInvalidArgument:
      return Error::invalidArgument("The upstream's address cannot be used.");
    default:
      return {ErrorCode::kUpstream, "The upstream does not answer."};
  }
}

}  // namespace

Error upstreamErrorOf(const http::Response& response) {
  const std::string status = std::to_string(response.status);
  const std::string said = completionError(response.body);
  const std::string because = said.empty() ? "." : ": " + said;
  if (response.status == 429) {
    Error limited(ErrorCode::kRateLimited, "The upstream limits its requests" + because);
    const std::string pause(stripped(response.headers.get("Retry-After")));
    if (numberIn(pause)) return std::move(limited).with("retry_after", pause);
    return limited;
  }
  if (response.status == 401 || response.status == 403)
    return Error::invalidArgument("The upstream refused the server's credentials.");
  if (response.status == 408 || response.status >= 500)
    return {ErrorCode::kUpstream, "The upstream failed with status " + status + because};
  return Error::invalidArgument("The upstream refused the request with status " + status + because);
}

Result<ModelAnswer> UpstreamClient::complete(const ModelRequest& request,
                                             const std::stop_token& stop) {
  if (!request.upstream.empty())
    return Error::invalidArgument("There is no upstream named '" + request.upstream + "'.");
  if (options_.url.empty()) {
    return Error::invalidArgument(
        "The server has no upstream for models: set evaluation.upstream_url.");
  }
  http::ClientRequest asked;
  asked.method = http::Method::kPost;
  asked.url = options_.url + "/chat/completions";
  asked.headers.add("Content-Type", "application/json");
  if (!options_.key.empty())
    asked.headers.add("Authorization", "Bearer " + std::string(options_.key.reveal()));
  asked.body = completionBody(request);
  asked.timeout = options_.timeout;
  Result<http::Response> response = fetch(client_, std::move(asked), stop);
  if (stop.stop_requested()) return Error::unavailable("Stopped.");
  if (!response) return connectionError(response.error());
  response->body = filter_.apply(std::move(response->body));
  if (response->status != 200) return upstreamErrorOf(*response);
  return completionAnswer(response->body, request.model);
}

}  // namespace spindle::evaluation
