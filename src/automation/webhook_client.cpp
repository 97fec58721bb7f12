#include "automation/webhook_client.h"

#include <future>
#include <memory>
#include <utility>

#include "base/mutex.h"
#include "http/client.h"
#include "http/name_lookup.h"
#include "http/uri.h"

namespace spindle::automation {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kMostRead = 64UL * 1024;
constexpr std::size_t kBodyKept = 16UL * 1024;
constexpr std::size_t kHeadersKept = 8UL * 1024;

HeaderList keptHeaders(const http::Headers& headers) {
  HeaderList kept;
  std::size_t bytes = 0;
  for (const auto& [name, value] : headers) {
    bytes += name.size() + value.size();
    if (bytes > kHeadersKept) break;
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
class Arrival {
 public:
  explicit Arrival(std::function<void(Attempt)> done) : done_(std::move(done)) {}

  void addressed(std::string_view address) {
    const MutexLock lock(mutex_);
    address_ = address;
  }

  void headed(const http::Response& head) {
    const MutexLock lock(mutex_);
    answer_.emplace();
    answer_->status = head.status;
    answer_->headers = keptHeaders(head.headers);
  }

  /// Appends bytes of the body. Returns false when enough has been read.
  bool add(std::string_view bytes) {
    {
      const MutexLock lock(mutex_);
      const std::size_t room = kBodyKept - answer_->body.size();
      answer_->body += bytes.substr(0, room);
      answer_->truncated = answer_->truncated || bytes.size() > room;
      read_ += bytes.size();
      if (read_ < kMostRead) return true;
      enough_ = true;
    }
    end(std::nullopt);
    return false;
  }

  /// Ends the attempt. A received status decides the outcome, even if the body is incomplete.
  void end(const std::optional<Error>& failure) {
    std::function<void(Attempt)> done;
    std::shared_ptr<http::Exchange> exchange;
    Attempt attempt;
    {
      const MutexLock lock(mutex_);
      if (!done_) return;
      done = std::exchange(done_, nullptr);
      if (enough_) exchange = std::move(exchange_);
      if (answer_) {
        attempt.answer = *std::move(answer_);
        if (failure) attempt.answer->truncated = true;
      } else {
        attempt = failure ? failedWith(*failure) : timedOut();
      }
      attempt.remote_ip = address_;
      answer_.emplace();
    }
    attempt.duration =
        std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - started_);
    if (exchange) exchange->cancel();
    done(std::move(attempt));
  }

  /// Stores the exchange to cancel when enough has been read. Cancels it at once if the attempt has
  /// ended.
  void keep(std::shared_ptr<http::Exchange> exchange) {
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
  std::shared_ptr<http::Exchange> exchange_ SPINDLE_GUARDED_BY(mutex_);
  std::optional<EndpointAnswer> answer_ SPINDLE_GUARDED_BY(mutex_);
  std::size_t read_ SPINDLE_GUARDED_BY(mutex_) = 0;
  bool enough_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::string address_ SPINDLE_GUARDED_BY(mutex_);
};

http::StreamHandler into(const std::shared_ptr<Arrival>& arrival) {
  http::StreamHandler handler;
  handler.on_head = [arrival](const http::Response& head) { arrival->headed(head); };
  handler.on_bytes = [arrival](std::string_view bytes) { return arrival->add(bytes); };
  handler.on_end = [arrival](const Result<void>& outcome) {
    arrival->end(outcome ? std::nullopt : std::optional<Error>(outcome.error()));
  };
  return handler;
}

}  // namespace

void maskAnswer(Attempt& attempt, const Credentials& credentials) {
  if (!attempt.answer) return;
  attempt.answer->body = credentials.maskedIn(std::move(attempt.answer->body));
  for (auto& [name, value] : attempt.answer->headers) {
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
  const auto arrival = std::make_shared<Arrival>(std::move(done));
  http::ClientRequest asked;
  asked.method = http::Method::kPost;
  asked.url = request.url;
  for (const auto& [name, value] : request.headers) asked.headers.add(name, value);
  asked.headers.add("Accept-Encoding", "");
  asked.body = request.body;
  asked.timeout = timeout_;
  asked.stream_timeout = timeout_;
  asked.filter = [rules = rules_, arrival, host = hostOf(request.url)](
                     std::string_view address, std::uint16_t) -> Result<void> {
    if (!rules->allowsAddress(host, address)) return Error::denied("The address is not allowed.");
    arrival->addressed(address);
    return {};
  };
  arrival->keep(client_.stream(std::move(asked), into(arrival)));
}

Attempt WebhookClient::send(const OutboundRequest& request) const {
  std::promise<Attempt> attempt;
  post(request, [&attempt](Attempt outcome) { attempt.set_value(std::move(outcome)); });
  return attempt.get_future().get();
}

}  // namespace spindle::automation
