#include "trainer/worker/server_client.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "json/document.h"
#include "trainer/model/failure.h"
#include "trainer/worker/log.h"

namespace spindle::trainer {
namespace {

constexpr std::chrono::milliseconds kFirstPause{200};
constexpr std::chrono::milliseconds kLongestPause{5000};
constexpr std::chrono::milliseconds kCallTime{90'000};
/// Interval at which `keep_trying` is polled.
constexpr std::chrono::milliseconds kPollInterval{50};

/// Returns a text member of an error body.
std::optional<std::string> memberOf(const std::string& body, std::string_view name) {
  const auto parsed = json::Document::parse(body);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr || !document->root().isObject()) return std::nullopt;
  const std::optional<json::Node> member = document->root().find(name);
  if (!member || !member->isString()) return std::nullopt;
  return member->text();
}

/// Returns the `detail` of an error body, or its beginning.
std::string messageIn(const std::string& body) {
  return memberOf(body, "detail").value_or(body.substr(0, 200));
}

/// Returns true if the server's copy of a file is missing or damaged: a retry does not help.
bool isLostContent(int status, const std::string& body) {
  if (status != 502) return false;
  const std::optional<std::string> code = memberOf(body, "code");
  return code == "content_missing" || code == "content_damaged";
}

bool isWorthTryingAgain(int status, const std::string& body) {
  if (isLostContent(status, body)) return false;
  return status == 408 || status == 429 || status >= 500;
}

Error refusalOf(int status, const std::string& body) {
  const std::string message = messageIn(body);
  if (isLostContent(status, body)) return Error::notFound(message);
  switch (status) {
    case 401:
      return {ErrorCode::kUnauthenticated, "The server rejected the key: " + message};
    case 403:
      return Error::denied("The key may not be used for training: " + message);
    case 404:
      return Error::notFound(message);
    case 409:
      return Error::conflict(message);
    default:
      return Error::invalidArgument("The server answered " + std::to_string(status) + ": " +
                                    message);
  }
}

/// An error of a local file.
Error fileTrouble(const std::string& what) {
  return Error::unavailable(what).because(kTrainerAtFault);
}

/// A response that is being received.
struct Incoming {
  std::function<void(std::string_view bytes)> take;
  int status = 0;
  std::string body;
  std::promise<Result<void>> done;
};

/// The address of a Unix socket ends with a colon, after which the request path begins.
std::string originOf(const std::string& url) { return url.starts_with("unix:") ? url + ':' : url; }

}  // namespace

ServerClient::ServerClient(http::Client& client,
                           const std::string& url,
                           Secret key,
                           std::function<bool()> keep_trying)
    : client_(client),
      url_(originOf(url)),
      key_(std::move(key)),
      keep_trying_(std::move(keep_trying)) {}

http::ClientRequest ServerClient::request(http::Method method,
                                          std::string_view path,
                                          std::string_view lease) const {
  http::ClientRequest request;
  request.method = method;
  request.url = url_ + std::string(path);
  request.headers.add("Authorization", "Bearer " + std::string(key_.reveal()));
  if (!lease.empty()) request.headers.add("Lease-Token", lease);
  request.timeout = kCallTime;
  return request;
}

Result<ServerClient::Response> ServerClient::send(const std::function<Result<Response>()>& once) {
  std::chrono::milliseconds pause = kFirstPause;
  while (true) {
    Result<Response> answer = once();
    if (answer && !isWorthTryingAgain(answer->status, answer->body)) {
      logReachable();
      if (answer->status >= 200 && answer->status < 300) return answer;
      return refusalOf(answer->status, answer->body);
    }
    if (!answer && answer.error().code() == ErrorCode::kInvalidArgument) return answer;
    if (!answer && isTrainersFault(answer.error())) return answer;
    if (!keep_trying_()) return Error::unavailable("The server does not answer.");
    logUnreachable(answer ? "it answers " + std::to_string(answer->status)
                          : answer.error().message());
    pauseFor(pause);
    pause = std::min(2 * pause, kLongestPause);
  }
}

void ServerClient::logUnreachable(const std::string& reason) {
  if (unreachable_.exchange(true)) return;
  kLog.warning("server_unreachable",
               {{"server", url_}, {"reason", reason}, {"next", "trying until it answers"}});
}

void ServerClient::logReachable() {
  if (unreachable_.exchange(false)) kLog.info("server_answers_again", {{"server", url_}});
}

Result<ServerClient::Response> ServerClient::post(std::string_view path,
                                                  std::string_view lease,
                                                  std::string body) {
  return send([&]() -> Result<Response> {
    http::ClientRequest call = request(http::Method::kPost, path, lease);
    call.headers.add("Content-Type", "application/json");
    call.body = body;
    http::Response response = TRY(client_.fetch(std::move(call)));
    return Response{response.status, std::move(response.body)};
  });
}

Result<void> ServerClient::put(std::string_view path,
                               std::string_view lease,
                               const std::string& file) {
  TRY(send([&]() -> Result<Response> {
    std::error_code problem;
    const std::uintmax_t size = std::filesystem::file_size(file, problem);
    if (problem) return fileTrouble("Cannot read " + file + ": " + problem.message());
    const auto source = std::make_shared<std::ifstream>(file, std::ios::binary);
    http::ClientRequest call = request(http::Method::kPut, path, lease);
    call.headers.add("Content-Type", "application/octet-stream");
    call.body_source.size = size;
    call.body_source.read = [source, file](std::uint64_t offset,
                                           std::size_t most) -> Result<std::string> {
      std::string piece(most, '\0');
      source->seekg(static_cast<std::streamoff>(offset));
      source->read(piece.data(), static_cast<std::streamsize>(most));
      piece.resize(static_cast<std::size_t>(source->gcount()));
      if (piece.empty()) return fileTrouble("Cannot read " + file);
      return piece;
    };
    http::Response response = TRY(client_.fetch(std::move(call)));
    return Response{response.status, std::move(response.body)};
  }));
  return {};
}

void ServerClient::pauseFor(std::chrono::milliseconds time) const {
  const auto until = std::chrono::steady_clock::now() + time;
  while (keep_trying_() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(kPollInterval);
}

Result<ServerClient::Response> ServerClient::receive(
    http::ClientRequest call, const std::function<void(std::string_view bytes)>& take) {
  const auto incoming = std::make_shared<Incoming>();
  incoming->take = take;
  http::StreamHandler handler;
  handler.on_head = [incoming](const http::Response& head) { incoming->status = head.status; };
  handler.on_bytes = [incoming](std::string_view bytes) {
    if (incoming->status == 200 && incoming->take) {
      incoming->take(bytes);
    } else {
      incoming->body += bytes;
    }
    return true;
  };
  handler.on_end = [incoming](Result<void> outcome) {
    incoming->done.set_value(std::move(outcome));
  };
  const std::shared_ptr<http::ClientExchange> exchange =
      client_.stream(std::move(call), std::move(handler));
  std::future<Result<void>> done = incoming->done.get_future();
  while (done.wait_for(kPollInterval) != std::future_status::ready) {
    if (!keep_trying_()) exchange->cancel();
  }
  TRY(done.get());
  return Response{incoming->status, std::move(incoming->body)};
}

Result<ServerClient::Response> ServerClient::wait(std::string_view path,
                                                  const std::string& body,
                                                  const std::string& brief) {
  return send([&] {
    http::ClientRequest call = request(http::Method::kPost, path, {});
    call.headers.add("Content-Type", "application/json");
    call.headers.add("Accept-Encoding", "identity");
    call.body = unreachable_ ? brief : body;
    return receive(std::move(call), nullptr);
  });
}

Result<void> ServerClient::get(std::string_view path,
                               std::string_view lease,
                               const std::string& file) {
  const std::string part = file + ".part";
  const Result<Response> answer = send([&]() -> Result<Response> {
    std::ofstream out(part, std::ios::binary | std::ios::trunc);
    if (!out) return fileTrouble("Cannot write " + part);
    http::ClientRequest call = request(http::Method::kGet, path, lease);
    call.headers.add("Accept-Encoding", "identity");
    Result<Response> received = receive(std::move(call), [&out](std::string_view bytes) {
      out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    });
    out.close();
    if (received && received->status == 200 && !out) {
      return fileTrouble("Cannot write " + part + ": is the disk full?");
    }
    return received;
  });
  std::error_code problem;
  if (!answer) {
    std::filesystem::remove(part, problem);
    return answer.error();
  }
  std::filesystem::rename(part, file, problem);
  if (problem) return fileTrouble("Cannot write " + file + ": " + problem.message());
  return {};
}

}  // namespace spindle::trainer
