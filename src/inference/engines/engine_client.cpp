#include "inference/engines/engine_client.h"

#include <utility>

#include "http/client/client.h"
#include "http/message/uri.h"
#include "inference/engines/engine_json.h"

namespace spindle::inference {
namespace {

constexpr std::chrono::seconds kAdapterLimit{120};

}  // namespace

std::string engineUrl(const std::string& socket, std::string_view target) {
  return "unix:" + socket + ":" + std::string(target);
}

EngineClient::EngineClient(std::chrono::milliseconds probe_limit)
    : probe_limit_(probe_limit), client_(std::make_unique<http::Client>(http::ClientOptions{})) {}

EngineClient::~EngineClient() = default;

void EngineClient::probe(const std::string& socket,
                         std::function<void(Result<EngineHealth>)> done) {
  http::ClientRequest request;
  request.url = engineUrl(socket, "/health");
  request.timeout = probe_limit_;
  client_->send(std::move(request), [done = std::move(done)](Result<http::Response> answer) {
    if (!answer) return done(std::move(answer).error());
    done(engineHealthOf(answer->status, std::move(answer->body)));
  });
}

void EngineClient::loadAdapter(const std::string& socket,
                               const AdapterFile& adapter,
                               std::function<void(Result<void>)> done) {
  http::ClientRequest request;
  request.method = http::Method::kPut;
  request.url = engineUrl(socket, "/adapters/" + http::percentEncode(adapter.name));
  request.headers.add("Content-Type", "application/json");
  request.body = adapterRequest(adapter);
  request.timeout = kAdapterLimit;
  client_->send(std::move(request), [done = std::move(done)](Result<http::Response> answer) {
    if (!answer) return done(Error::unavailable("The adapter could not be loaded."));
    if (answer->status >= 300) return done(refusalOf(answer->status, std::move(answer->body)));
    done({});
  });
}

void EngineClient::dropAdapter(const std::string& socket,
                               const std::string& name,
                               std::function<void()> done) {
  http::ClientRequest request;
  request.method = http::Method::kDelete;
  request.url = engineUrl(socket, "/adapters/" + http::percentEncode(name));
  request.timeout = kAdapterLimit;
  client_->send(std::move(request),
                [done = std::move(done)](const Result<http::Response>& /*answer*/) { done(); });
}

}  // namespace spindle::inference
