#include "inference/catalogue/upstream_probe.h"

#include <utility>

#include "base/core/utf8.h"
#include "base/crypto/secret_filter.h"
#include "http/client/client.h"
#include "inference/catalogue/upstream_models_json.h"

namespace spindle::inference {
namespace {

constexpr std::chrono::seconds kTimeout{10};
constexpr std::size_t kMostAnswer = 4UL << 20;
constexpr std::size_t kMostModels = 1000;
constexpr std::size_t kMostMessage = 1000;

/// Returns the message of a response body as valid UTF-8 of limited length.
std::string shown(std::string body, const SecretFilter& filter) {
  std::string message = messageIn(filter.apply(std::move(body)));
  if (!isUtf8(message)) return "The response is not text.";
  if (message.size() <= kMostMessage) return message;
  std::size_t end = kMostMessage;
  while (end > 0 && !beginsCharacter(message[end])) --end;
  return message.substr(0, end) + "…";
}

}  // namespace

UpstreamProbe probeUpstream(http::Client& client, const Upstream& upstream, const Secret& key) {
  http::ClientRequest request;
  request.url = upstream.url + "/models";
  request.timeout = kTimeout;
  request.connect_timeout = upstream.timeouts.connect;
  request.response_limit = kMostAnswer;
  request.headers.set("Accept", "application/json");
  if (!key.empty()) {
    request.headers.set("Authorization", "Bearer " + std::string(key.reveal()));
  }
  const SecretFilter filter(key);  // some servers repeat the rejected key
  UpstreamProbe probe;
  const auto begin = std::chrono::steady_clock::now();
  const Result<http::Response> answer = client.fetch(std::move(request));
  probe.duration = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - begin);
  if (!answer) {
    probe.error = filter.apply(answer.error().message());
    return probe;
  }
  probe.status = answer->status;
  if (answer->status != 200) {
    probe.error = shown(answer->body, filter);
    return probe;
  }
  std::optional<std::vector<std::string>> models =
      modelNamesIn(filter.apply(answer->body), kMostModels);
  if (!models) {
    probe.error = "The response is not a list of models.";
    return probe;
  }
  probe.models = *std::move(models);
  probe.success = true;
  return probe;
}

}  // namespace spindle::inference
