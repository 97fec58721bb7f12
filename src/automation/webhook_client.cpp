#include "automation/webhook_client.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "http/client.h"
#include "http/name_lookup.h"
#include "http/uri.h"

namespace spindle::automation {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kTotalTimeout{15};
constexpr std::size_t kMostRead = 64UL * 1024;
constexpr std::size_t kBodyKept = 16UL * 1024;
constexpr std::size_t kHeadersKept = 8UL * 1024;

/// Where the I/O thread leaves what comes. Shared, because the one who waits may leave first.
struct Arrival {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<EndpointAnswer> answer;
  std::size_t read = 0;
  bool over = false;
  std::optional<Error> failure;
};

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

http::StreamHandler into(const std::shared_ptr<Arrival>& arrival) {
  http::StreamHandler handler;
  handler.on_head = [arrival](const http::Response& head) {
    const std::lock_guard lock(arrival->mutex);
    arrival->answer.emplace();
    arrival->answer->status = head.status;
    arrival->answer->headers = keptHeaders(head.headers);
  };
  handler.on_bytes = [arrival](std::string_view bytes) {
    const std::lock_guard lock(arrival->mutex);
    EndpointAnswer& answer = *arrival->answer;
    const std::size_t room = kBodyKept - answer.body.size();
    answer.body += bytes.substr(0, room);
    answer.truncated = answer.truncated || bytes.size() > room;
    arrival->read += bytes.size();
    if (arrival->read < kMostRead) return true;
    arrival->over = true;
    arrival->changed.notify_all();
    return false;
  };
  handler.on_end = [arrival](const Result<void>& outcome) {
    const std::lock_guard lock(arrival->mutex);
    arrival->over = true;
    if (!outcome) {
      arrival->failure = outcome.error();
      if (arrival->answer) arrival->answer->truncated = true;
    }
    arrival->changed.notify_all();
  };
  return handler;
}

Attempt failed(std::string code, std::string message) {
  Attempt attempt;
  attempt.error_code = std::move(code);
  attempt.error_message = std::move(message);
  return attempt;
}

Attempt timedOut() { return failed("timeout", "The endpoint did not answer in time."); }

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
    return failed("tls_error", "The endpoint could not prove who it is.");
  }
  return failed("connect_error", "The endpoint could not be reached, or broke off.");
}

}  // namespace

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

Attempt WebhookClient::send(const OutboundRequest& request) const {
  if (const std::optional<std::string> problem = problemOf(request.url)) {
    return failed("url_not_allowed", *problem);
  }
  const SteadyClock::time_point started = SteadyClock::now();
  http::ClientRequest asked;
  asked.method = http::Method::kPost;
  asked.url = request.url;
  for (const auto& [name, value] : request.headers) asked.headers.add(name, value);
  asked.headers.add("Accept-Encoding", "");
  asked.body = request.body;
  asked.timeout = kTotalTimeout;
  asked.filter = [rules = rules_, host = hostOf(request.url)](std::string_view address,
                                                              std::uint16_t) -> Result<void> {
    if (rules->allowsAddress(host, address)) return {};
    return Error::denied("The address is not allowed.");
  };
  const auto arrival = std::make_shared<Arrival>();
  const std::shared_ptr<http::Exchange> exchange = client_.stream(std::move(asked), into(arrival));
  std::unique_lock lock(arrival->mutex);
  arrival->changed.wait_until(lock, started + kTotalTimeout, [&] { return arrival->over; });
  Attempt attempt;
  if (arrival->answer) {
    attempt.answer = *arrival->answer;
    // A body that has not ended counts as cut off: the status has decided already.
    attempt.answer->truncated = attempt.answer->truncated || !arrival->over;
  } else {
    attempt = arrival->failure ? failedWith(*arrival->failure) : timedOut();
  }
  lock.unlock();
  exchange->cancel();
  attempt.duration =
      std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - started);
  return attempt;
}

}  // namespace spindle::automation
