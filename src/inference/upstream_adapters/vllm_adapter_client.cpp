#include "inference/upstream_adapters/vllm_adapter_client.h"

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/core/utf8.h"
#include "http/client/client.h"
#include "inference/catalogue/upstream_models_json.h"
#include "inference/upstream_adapters/log.h"
#include "json/escape.h"

namespace spindle::inference {
namespace {

constexpr std::chrono::seconds kListTimeout{10};
constexpr std::size_t kMostListed = 4UL << 20;
constexpr std::size_t kMostModels = 10'000;
constexpr std::size_t kMostAnswer = 64UL << 10;
constexpr std::size_t kLongestLogged = 500;
constexpr std::size_t kLongestShown = 200;
constexpr std::array kSentFiles = {kPeftWeightsFile, kPeftConfigFile};

bool isGood(int status) { return status >= 200 && status < 300; }

http::ClientRequest requestTo(const ReachableUpstream& upstream,
                              http::Method method,
                              std::string url) {
  http::ClientRequest request;
  request.method = method;
  request.url = std::move(url);
  request.connect_timeout = upstream.upstream.timeouts.connect;
  request.timeout = std::chrono::milliseconds(upstream.upstream.adapters.load_ms);
  request.response_limit = kMostAnswer;
  if (!upstream.key.empty()) {
    request.headers.add("Authorization", "Bearer " + std::string(upstream.key.reveal()));
  }
  return request;
}

/// Returns at most `most` bytes of a text without splitting a character.
std::string cut(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && !beginsCharacter(text[end])) --end;
  text.resize(end);
  return text;
}

/// Returns the message of a response without the key of the upstream.
std::string messageOf(const ReachableUpstream& upstream, const http::Response& answer) {
  const std::string message = messageIn(upstream.filter.apply(answer.body));
  return isUtf8(message) ? message : std::string();
}

/// Returns the message for clients. A message with a path stays in the log.
std::string shownMessage(const std::string& message) {
  if (message.empty() || message.find('/') != std::string::npos) return {};
  return ": " + cut(message, kLongestShown);
}

/// Logs a failure and returns its error for clients.
Error failed(const ReachableUpstream& upstream,
             std::string_view step,
             const Result<http::Response>& answer) {
  const std::string& name = upstream.upstream.name;
  const std::string message =
      answer ? messageOf(upstream, *answer) : upstream.filter.apply(answer.error().message());
  kLog.warning("upstream_adapter_failed", {{"upstream", name},
                                           {"step", step},
                                           {"status", answer ? answer->status : 0},
                                           {"message", cut(message, kLongestLogged)}});
  const std::string subject = "The upstream " + name;
  if (!answer) {
    const bool late = answer.error().code() == ErrorCode::kTimeout;
    return Error::unavailable(subject + (late ? " did not load the adapter in time."
                                              : " cannot be reached to load the adapter."));
  }
  return Error::unavailable(subject + " did not load the adapter (" + std::string(step) + ", " +
                            std::to_string(answer->status) + ")" + shownMessage(message));
}

/// Returns a body that is read from a file while it is sent.
std::optional<http::RequestBodySource> sourceOf(const std::string& path) {
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(path, failed);
  auto file = std::make_shared<std::ifstream>(path, std::ios::binary);
  if (failed || !*file) return std::nullopt;
  http::RequestBodySource source;
  source.size = size;
  source.read = [file](std::uint64_t offset, std::size_t most) -> Result<std::string> {
    std::string bytes(most, '\0');
    file->clear();
    file->seekg(static_cast<std::streamoff>(offset));
    file->read(bytes.data(), static_cast<std::streamsize>(most));
    bytes.resize(static_cast<std::size_t>(file->gcount()));
    if (bytes.empty()) return Error::unavailable("The file of the adapter cannot be read.");
    return bytes;
  };
  return source;
}

}  // namespace

/// The transfer of one adapter to a receiver, file after file.
struct VllmAdapterClient::Transfer {
  std::shared_ptr<const ReachableUpstream> upstream;
  std::shared_ptr<const StagedAdapter> adapter;
  Done done;
  std::size_t next = 0;  ///< index in kSentFiles
};

VllmAdapterClient::VllmAdapterClient()
    : client_(std::make_unique<http::Client>(http::ClientOptions())) {}

VllmAdapterClient::~VllmAdapterClient() = default;

void VllmAdapterClient::list(const ReachableUpstream& upstream,
                             std::function<void(std::vector<std::string>)> done) {
  http::ClientRequest request =
      requestTo(upstream, http::Method::kGet, upstream.upstream.url + "/models");
  request.timeout = kListTimeout;
  request.response_limit = kMostListed;
  client_->send(std::move(request), [done = std::move(done)](Result<http::Response> answer) {
    std::vector<std::string> names;
    if (answer && answer->status == 200) {
      names = modelNamesIn(std::move(answer->body), kMostModels).value_or(names);
    }
    std::erase_if(names,
                  [](const std::string& name) { return !name.starts_with(kPeftNamePrefix); });
    done(std::move(names));
  });
}

void VllmAdapterClient::transfer(std::shared_ptr<const ReachableUpstream> upstream,
                                 std::shared_ptr<const StagedAdapter> adapter,
                                 Done done) {
  http::ClientRequest request = requestTo(
      *upstream, http::Method::kGet, upstream->upstream.adapters.receiver + "/" + adapter->name);
  request.timeout = kListTimeout;
  auto transfer = std::make_shared<Transfer>(
      Transfer{std::move(upstream), std::move(adapter), std::move(done)});
  client_->send(std::move(request), [this, transfer](const Result<http::Response>& answer) {
    if (answer && answer->status == 200) return transfer->done({});
    if (answer && answer->status == 404) return sendNext(transfer);
    transfer->done(failed(*transfer->upstream, "receiver", answer));
  });
}

void VllmAdapterClient::sendNext(std::shared_ptr<Transfer> transfer) {
  if (transfer->next == kSentFiles.size()) return transfer->done({});
  const std::string file = std::string(kSentFiles[transfer->next++]);
  http::ClientRequest request = requestTo(
      *transfer->upstream, http::Method::kPut,
      transfer->upstream->upstream.adapters.receiver + "/" + transfer->adapter->name + "/" + file);
  request.headers.add("Content-Type", "application/octet-stream");
  std::optional<http::RequestBodySource> source = sourceOf(transfer->adapter->path + "/" + file);
  if (!source) return transfer->done(Error::unavailable("The file of the adapter cannot be read."));
  request.body_source = *std::move(source);
  client_->send(std::move(request), [this, transfer](const Result<http::Response>& answer) {
    if (answer && isGood(answer->status)) return sendNext(transfer);
    transfer->done(failed(*transfer->upstream, "receiver", answer));
  });
}

void VllmAdapterClient::load(const ReachableUpstream& upstream,
                             const std::string& name,
                             const std::string& path,
                             Done done) {
  http::ClientRequest request =
      requestTo(upstream, http::Method::kPost, upstream.upstream.url + "/load_lora_adapter");
  request.headers.add("Content-Type", "application/json");
  request.body =
      R"({"lora_name":)" + json::quoted(name) + R"(,"lora_path":)" + json::quoted(path) + "}";
  client_->send(std::move(request),
                [upstream, done = std::move(done)](const Result<http::Response>& answer) {
                  if (answer && isGood(answer->status)) return done({});
                  const bool loaded =
                      answer && answer->status == 400 &&
                      messageOf(upstream, *answer).find("already been loaded") != std::string::npos;
                  if (loaded) return done({});
                  done(failed(upstream, "load", answer));
                });
}

void VllmAdapterClient::unload(const ReachableUpstream& upstream,
                               const std::string& name,
                               std::function<void()> done) {
  http::ClientRequest request =
      requestTo(upstream, http::Method::kPost, upstream.upstream.url + "/unload_lora_adapter");
  request.headers.add("Content-Type", "application/json");
  request.body = R"({"lora_name":)" + json::quoted(name) + "}";
  client_->send(std::move(request),
                [upstream, done = std::move(done)](const Result<http::Response>& answer) {
                  // 404: the upstream does not know the adapter any more.
                  if (!answer || (!isGood(answer->status) && answer->status != 404)) {
                    failed(upstream, "unload", answer);
                  }
                  done();
                });
}

}  // namespace spindle::inference
