#include "transfer/call_server.h"

#include <algorithm>
#include <utility>

#include "json/document.h"

namespace spindle::transfer {
namespace {

constexpr std::chrono::seconds kLongestWait{30};
constexpr std::chrono::seconds kPatience{600};
constexpr std::size_t kShownBytes = 300;

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

std::string reasonOf(const Answer& answer) {
  const auto parsed = json::Document::parse(answer.body);
  if (const auto* document = std::get_if<json::Document>(&parsed)) {
    if (std::optional<std::string> reason = reasonIn(document->root()))
      return reason->substr(0, kShownBytes);
  }
  return answer.body.substr(0, kShownBytes);
}

Error explain(const Answer& answer) {
  const std::string status = "the server answered " + std::to_string(answer.status);
  const std::string reason = reasonOf(answer);
  return {ErrorCode::kUpstream, reason.empty() ? status : status + ": " + reason};
}

Result<Answer> askPatiently(const Pause& pause, const std::function<Result<Answer>()>& ask) {
  std::chrono::seconds waited{0};
  std::chrono::seconds next{1};
  while (true) {
    Result<Answer> answer = ask();
    if (!answer || !answer->asksToWait() || waited >= kPatience) return answer;
    const std::chrono::seconds wait =
        std::clamp(answer->retry_after.value_or(next), std::chrono::seconds(1), kPatience);
    pause(wait);
    waited += wait;
    next = std::min(next * 2, kLongestWait);
  }
}

}  // namespace spindle::transfer
