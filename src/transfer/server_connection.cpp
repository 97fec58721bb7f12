#include "transfer/server_connection.h"

#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/core/mutex.h"
#include "base/process/file_source.h"

namespace spindle::transfer {
namespace {

constexpr std::size_t kBufferedBytes = 4UL << 20;
constexpr int kFirstErrorStatus = 300;

std::optional<std::chrono::seconds> retryAfterOf(const http::Headers& headers) {
  const std::string* text = headers.find("Retry-After");
  if (text == nullptr) return std::nullopt;
  int seconds = 0;
  const auto [end, fault] = std::from_chars(text->data(), text->data() + text->size(), seconds);
  if (fault != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return std::chrono::seconds(seconds);
}

/// The received part of a response: the thread of the client writes it, the caller reads it.
class ResponseBuffer {
 public:
  void begin(const http::Response& head) {
    const MutexLock lock(mutex_);
    status_ = head.status;
    retry_after_ = retryAfterOf(head.headers);
  }
  /// Returns false when the buffer is full.
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

  /// Blocks until more bytes arrive. Returns an empty text at the end.
  std::string next() {
    const MutexLock lock(mutex_);
    while (bytes_.empty() && !outcome_) changed_.wait(mutex_);
    return std::exchange(bytes_, std::string());
  }
  /// Blocks until the end. Returns the response without its body.
  Result<ApiResponse> answer() {
    const MutexLock lock(mutex_);
    while (!outcome_) changed_.wait(mutex_);
    if (!*outcome_) return outcome_->error();
    ApiResponse answer;
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

http::ClientOptions optionsFor(const ServerAddress& address) {
  http::ClientOptions options;
  options.ca_file = address.ca_file;
  return options;
}

}  // namespace

ServerConnection::ServerConnection(ServerAddress address)
    : address_(std::move(address)), client_(optionsFor(address_)) {}

http::ClientRequest ServerConnection::request(http::Method method, const std::string& path) const {
  http::ClientRequest request;
  request.method = method;
  request.url = address_.url + path;
  request.headers.add("Authorization", "Bearer " + std::string(address_.key.reveal()));
  request.timeout = kRequestTimeout;
  return request;
}

Result<ApiResponse> ServerConnection::stream(
    http::ClientRequest request, const std::function<Result<void>(std::string_view)>& take) {
  // Shared with the callbacks, which may run after an early return.
  const auto buffer = std::make_shared<ResponseBuffer>();
  http::StreamHandler handler;
  handler.on_head = [buffer](const http::Response& head) { buffer->begin(head); };
  handler.on_bytes = [buffer](std::string_view bytes) { return buffer->add(bytes); };
  handler.on_end = [buffer](Result<void> outcome) { buffer->end(std::move(outcome)); };
  const std::shared_ptr<http::ClientExchange> exchange =
      client_.stream(std::move(request), std::move(handler));
  std::string error_body;
  while (true) {
    const std::string bytes = buffer->next();
    if (bytes.empty()) break;
    exchange->resume();
    if (buffer->status() >= kFirstErrorStatus) {
      if (error_body.size() < kBufferedBytes) error_body += bytes;
      continue;
    }
    if (Result<void> taken = take(bytes); !taken) {
      exchange->cancel();
      return std::move(taken).error();
    }
  }
  Result<ApiResponse> answer = buffer->answer();
  if (answer) answer->body = std::move(error_body);
  return answer;
}

Result<ApiResponse> ServerConnection::fetch(http::ClientRequest request) {
  http::Response response = TRY(client_.fetch(std::move(request)));
  ApiResponse answer;
  answer.status = response.status;
  answer.retry_after = retryAfterOf(response.headers);
  answer.body = std::move(response.body);
  return answer;
}

Error ServerConnection::noResponse(const Error& error) const {
  return {error.code(), "no response from " + address_.url + ": " + error.message()};
}

http::RequestBodySource fileBody(const std::string& path,
                                 std::uint64_t size,
                                 const std::function<void(std::uint64_t)>& sent) {
  const auto source = std::make_shared<FileSource>(path);
  http::RequestBodySource body;
  body.size = size;
  body.read = [source, sent](std::uint64_t offset, std::size_t most) {
    sent(offset);
    return source->read(offset, most);
  };
  return body;
}

}  // namespace spindle::transfer
