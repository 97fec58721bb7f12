#include "transfer/http_call_server.h"

#include <charconv>
#include <utility>

#include "base/mutex.h"
#include "http/client.h"

namespace spindle::transfer {
namespace {

constexpr std::size_t kBufferedBytes = 4UL << 20;
constexpr std::chrono::milliseconds kTimeout{300'000};

std::optional<std::chrono::seconds> retryAfterOf(const http::Headers& headers) {
  const std::string* text = headers.find("Retry-After");
  if (text == nullptr) return std::nullopt;
  int seconds = 0;
  const auto [end, fault] = std::from_chars(text->data(), text->data() + text->size(), seconds);
  if (fault != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return std::chrono::seconds(seconds);
}

/// What has come of an answer, between the client's thread and ours.
class Arrivals {
 public:
  void begin(const http::Response& head) {
    const MutexLock lock(mutex_);
    status_ = head.status;
    retry_after_ = retryAfterOf(head.headers);
  }
  /// False when there is enough for now.
  bool add(std::string_view bytes) {
    const MutexLock lock(mutex_);
    bytes_.append(bytes);
    changed_.notifyOne();
    return bytes_.size() < kBufferedBytes;
  }
  void end(Result<void> outcome) {
    const MutexLock lock(mutex_);
    outcome_ = std::move(outcome);
    changed_.notifyOne();
  }

  /// Waits for more bytes. Empty at the end.
  std::string next() {
    const MutexLock lock(mutex_);
    while (bytes_.empty() && !outcome_) changed_.wait(mutex_);
    return std::exchange(bytes_, std::string());
  }
  /// After the end: the answer without its body.
  Result<Answer> answer() {
    const MutexLock lock(mutex_);
    while (!outcome_) changed_.wait(mutex_);
    if (!*outcome_) return outcome_->error();
    Answer answer;
    answer.status = status_;
    answer.retry_after = retry_after_;
    return answer;
  }
  int status() {
    const MutexLock lock(mutex_);
    return status_;
  }

 private:
  Mutex mutex_;
  Condition changed_;
  int status_ SPINDLE_GUARDED_BY(mutex_) = 0;
  std::optional<std::chrono::seconds> retry_after_ SPINDLE_GUARDED_BY(mutex_);
  std::string bytes_ SPINDLE_GUARDED_BY(mutex_);
  std::optional<Result<void>> outcome_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace

struct HttpCallServer::Connection {
  Connection(ServerAddress where, http::ClientOptions options)
      : address(std::move(where)), client(std::move(options)) {}

  http::ClientRequest request(const std::string& path, std::string body) const {
    http::ClientRequest made;
    made.method = http::Method::kPost;
    made.url = address.url + path;
    made.headers.add("Authorization", "Bearer " + std::string(address.key.reveal()));
    made.headers.add("Content-Type", "application/json");
    made.body = std::move(body);
    made.timeout = kTimeout;
    return made;
  }

  Error broken(const Error& error) const {
    return {error.code(), "no answer from " + address.url + ": " + error.message()};
  }

  const ServerAddress address;
  http::Client client;
};

HttpCallServer::HttpCallServer(ServerAddress address) {
  while (address.url.ends_with('/')) address.url.pop_back();
  http::ClientOptions options;
  options.ca_file = address.ca_file;
  connection_ = std::make_unique<Connection>(std::move(address), std::move(options));
}

HttpCallServer::~HttpCallServer() = default;

Result<Answer> HttpCallServer::post(const std::string& path, std::string body) {
  Result<http::Response> response =
      connection_->client.fetch(connection_->request(path, std::move(body)));
  if (!response) return connection_->broken(response.error());
  Answer answer;
  answer.status = response->status;
  answer.retry_after = retryAfterOf(response->headers);
  answer.body = std::move(response->body);
  return answer;
}

Result<Answer> HttpCallServer::stream(const std::string& path, std::string body, const Take& take) {
  // Shared with the callbacks, which may come after an early return.
  const auto arrivals = std::make_shared<Arrivals>();
  http::StreamHandler handler;
  handler.on_head = [arrivals](const http::Response& head) { arrivals->begin(head); };
  handler.on_bytes = [arrivals](std::string_view bytes) { return arrivals->add(bytes); };
  handler.on_end = [arrivals](Result<void> outcome) { arrivals->end(std::move(outcome)); };
  const std::shared_ptr<http::Exchange> exchange =
      connection_->client.stream(connection_->request(path, std::move(body)), std::move(handler));
  std::string refusal;
  while (true) {
    const std::string bytes = arrivals->next();
    if (bytes.empty()) break;
    exchange->resume();
    if (arrivals->status() != 200) {
      if (refusal.size() < kBufferedBytes) refusal += bytes;
      continue;
    }
    if (Result<void> taken = take(bytes); !taken) {
      exchange->cancel();
      return std::move(taken).error();
    }
  }
  Result<Answer> answer = arrivals->answer();
  if (!answer) return connection_->broken(answer.error());
  answer->body = std::move(refusal);
  return answer;
}

}  // namespace spindle::transfer
