#include "automation/webhooks/webhook_client.h"

#include <future>
#include <memory>
#include <utility>

#include "base/core/mutex.h"
#include "http/client/client.h"
#include "http/client/name_lookup.h"
#include "http/message/uri.h"

namespace spindle::automation {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kMaxBytesRead = 64UL * 1024;
constexpr std::size_t kMaxStoredBody = 16UL * 1024;
constexpr std::size_t kMaxStoredHeaders = 8UL * 1024;

HeaderList storedHeaders(const http::Headers& headers) {
  HeaderList kept;
  std::size_t bytes = 0;
  for (const auto& [name, value] : headers) {
    bytes += name.size() + value.size();
    if (bytes > kMaxStoredHeaders) break;
    kept.emplace_back(name, value);
  }
  return kept;
}

Attempt failed(std::string code, std::string message) {
  Attempt attempt;
  attempt.error_code = std::move(code);
  attempt.error_message = std::move(message);
  return attempt;
}

Attempt timedOut() { return failed("timeout", "The endpoint did not respond in time."); }

Attempt failedWith(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kTimeout:
      return timedOut();
    case ErrorCode::kPermissionDenied:
      return failed("blocked_address", "The endpoint's address is not allowed.");
    case ErrorCode::kInvalidArgument:
      return failed("bad_header", "The access token cannot be sent in a header.");
    default:
      break;
  }
  if (error.reason() == "dns_error") {
    return failed("dns_error", "The endpoint's name could not be resolved.");
  }
  if (error.reason() == "tls_error") {
    return failed("tls_error", "The TLS connection to the endpoint failed.");
  }
  return failed("connect_error", "The endpoint could not be reached, or closed the connection.");
}

/// One running attempt. Shared by the callbacks of its exchange and by post().
class PendingAttempt {
 public:
  explicit PendingAttempt(std::function<void(Attempt)> done) : done_(std::move(done)) {}

  void setAddress(std::string_view address) {
    const MutexLock lock(mutex_);
    address_ = address;
  }

  void setHead(const http::Response& head) {
    const MutexLock lock(mutex_);
    response_.emplace();
    response_->status = head.status;
    response_->headers = storedHeaders(head.headers);
  }

  /// Appends bytes of the body. Returns false when enough has been read.
  bool add(std::string_view bytes) {
    {
      const MutexLock lock(mutex_);
      const std::size_t room = kMaxStoredBody - response_->body.size();
      response_->body += bytes.substr(0, room);
      response_->truncated = response_->truncated || bytes.size() > room;
      read_ += bytes.size();
      if (read_ < kMaxBytesRead) return true;
      enough_ = true;
    }
    end(std::nullopt);
    return false;
  }

  /// Ends the attempt. A received status decides the outcome, even if the body is incomplete.
  void end(const std::optional<Error>& failure) {
    std::function<void(Attempt)> done;
    std::shared_ptr<http::ClientExchange> exchange;
    Attempt attempt;
    {
      const MutexLock lock(mutex_);
      if (!done_) return;
      done = std::exchange(done_, nullptr);
      if (enough_) exchange = std::move(exchange_);
      if (response_) {
        attempt.response = *std::move(response_);
        if (failure) attempt.response->truncated = true;
      } else {
        attempt = failure ? failedWith(*failure) : timedOut();
      }
      attempt.remote_ip = address_;
      response_.emplace();
    }
    attempt.duration =
        std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - started_);
    if (exchange) exchange->cancel();
    done(std::move(attempt));
  }

  /// Stores the exchange to cancel when enough has been read. Cancels it at once if the attempt has
  /// ended.
  void setExchange(std::shared_ptr<http::ClientExchange> exchange) {
    {
      const MutexLock lock(mutex_);
      if (done_) exchange_.swap(exchange);
    }
    if (exchange) exchange->cancel();
  }

 private:
  const SteadyClock::time_point started_ = SteadyClock::now();
  Mutex mutex_;
  std::function<void(Attempt)> done_ SPINDLE_GUARDED_BY(mutex_);
  std::shared_ptr<http::ClientExchange> exchange_ SPINDLE_GUARDED_BY(mutex_);
  std::optional<EndpointResponse> response_ SPINDLE_GUARDED_BY(mutex_);
  std::size_t read_ SPINDLE_GUARDED_BY(mutex_) = 0;
  bool enough_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::string address_ SPINDLE_GUARDED_BY(mutex_);
};

http::StreamHandler handlerFor(const std::shared_ptr<PendingAttempt>& pending) {
  http::StreamHandler handler;
  handler.on_head = [pending](const http::Response& head) { pending->setHead(head); };
  handler.on_bytes = [pending](std::string_view bytes) { return pending->add(bytes); };
  handler.on_end = [pending](const Result<void>& outcome) {
    pending->end(outcome ? std::nullopt : std::optional<Error>(outcome.error()));
  };
  return handler;
}

}  // namespace

void maskResponse(Attempt& attempt, const Credentials& credentials) {
  if (!attempt.response) return;
  attempt.response->body = credentials.maskedIn(std::move(attempt.response->body));
  for (auto& [name, value] : attempt.response->headers) {
    value = credentials.maskedIn(std::move(value));
  }
}

std::string hostOf(std::string_view url) {
  const Result<http::Url> parsed = http::parseUrl(url);
  return parsed ? parsed->host : "";
}

std::optional<std::string> WebhookClient::problemOf(std::string_view url) const {
  const Result<http::Url> parsed = http::parseUrl(url);
  if (!parsed) return parsed.error().message();
  if (parsed->scheme == http::Url::Scheme::kUnix) return "The scheme must be https.";
  if (url.find('#') != std::string_view::npos) return "A fragment is not allowed.";
  return rules_->problemOf(parsed->scheme == http::Url::Scheme::kHttps, parsed->host,
                           http::addressLiteral(parsed->host), parsed->port);
}

void WebhookClient::post(const OutboundRequest& request, std::function<void(Attempt)> done) const {
  if (const std::optional<std::string> problem = problemOf(request.url)) {
    done(failed("url_not_allowed", *problem));
    return;
  }
  const auto pending = std::make_shared<PendingAttempt>(std::move(done));
  http::ClientRequest asked;
  asked.method = http::Method::kPost;
  asked.url = request.url;
  for (const auto& [name, value] : request.headers) asked.headers.add(name, value);
  asked.headers.add("Accept-Encoding", "");
  asked.body = request.body;
  asked.timeout = timeout_;
  asked.stream_timeout = timeout_;
  asked.filter = [rules = rules_, pending, host = hostOf(request.url)](
                     std::string_view address, std::uint16_t) -> Result<void> {
    if (!rules->allowsAddress(host, address)) return Error::denied("The address is not allowed.");
    pending->setAddress(address);
    return {};
  };
  pending->setExchange(client_.stream(std::move(asked), handlerFor(pending)));
}

Attempt WebhookClient::send(const OutboundRequest& request) const {
  std::promise<Attempt> attempt;
  post(request, [&attempt](Attempt outcome) { attempt.set_value(std::move(outcome)); });
  return attempt.get_future().get();
}

}  // namespace spindle::automation
