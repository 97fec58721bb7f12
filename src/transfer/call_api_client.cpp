#include "transfer/call_api_client.h"

#include <algorithm>
#include <utility>

#include "json/document.h"

namespace spindle::transfer {
namespace {

constexpr std::chrono::seconds kMaxWait{30};
constexpr std::chrono::seconds kMaxTotalWait{600};
constexpr std::size_t kMaxShownBytes = 300;

/// Formats one entry of a list of violations: `body.batch.0.id: Field required`.
std::string violationText(const json::Node& violation) {
  const std::optional<json::Node> message =
      violation.isObject() ? violation.find("msg") : std::nullopt;
  if (!message || !message->isString()) return std::string(violation.raw());
  std::string place;
  if (const std::optional<json::Node> loc = violation.find("loc"); loc && loc->isArray()) {
    for (const json::Node step : *loc) {
      if (!place.empty()) place += '.';
      place += step.isString() ? step.text() : std::string(step.raw());
    }
  }
  return place.empty() ? message->text() : place + ": " + message->text();
}

std::optional<std::string> reasonIn(const json::Node& body) {
  if (!body.isObject()) return std::nullopt;
  for (const char* name : {"reason", "detail"}) {
    const std::optional<json::Node> value = body.find(name);
    if (value && value->isString()) return value->text();
    if (value && value->isArray() && value->size() > 0) return violationText(*value->begin());
  }
  return std::nullopt;
}

}  // namespace

std::string reasonOf(const ApiResponse& response) {
  const auto parsed = json::Document::parse(response.body);
  if (const auto* document = std::get_if<json::Document>(&parsed)) {
    if (std::optional<std::string> reason = reasonIn(document->root()))
      return reason->substr(0, kMaxShownBytes);
  }
  return response.body.substr(0, kMaxShownBytes);
}

Error toError(const ApiResponse& response) {
  const std::string status = "the server answered " + std::to_string(response.status);
  const std::string reason = reasonOf(response);
  return {ErrorCode::kUpstream, reason.empty() ? status : status + ": " + reason};
}

Result<ApiResponse> sendWithRetries(const SleepFunction& sleep_for,
                                    const std::function<Result<ApiResponse>()>& send) {
  std::chrono::seconds waited{0};
  std::chrono::seconds next{1};
  while (true) {
    Result<ApiResponse> response = send();
    if (!response || !response->asksForRetry() || waited >= kMaxTotalWait) return response;
    const std::chrono::seconds wait =
        std::clamp(response->retry_after.value_or(next), std::chrono::seconds(1), kMaxTotalWait);
    sleep_for(wait);
    waited += wait;
    next = std::min(next * 2, kMaxWait);
  }
}

}  // namespace spindle::transfer
