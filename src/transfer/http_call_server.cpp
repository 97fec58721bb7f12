#include "transfer/http_call_server.h"

#include <optional>
#include <utility>

#include "http/client.h"
#include "transfer/answer_stream.h"

namespace spindle::transfer {
namespace {

constexpr std::chrono::milliseconds kTimeout{300'000};

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
    return {error.code(), "no response from " + address.url + ": " + error.message()};
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
  Result<Answer> answer =
      wholeAnswer(connection_->client, connection_->request(path, std::move(body)));
  if (!answer) return connection_->broken(answer.error());
  return answer;
}

Result<Answer> HttpCallServer::stream(const std::string& path, std::string body, const Take& take) {
  std::optional<Error> refused;
  const Take tried = [&](std::string_view bytes) -> Result<void> {
    Result<void> taken = take(bytes);
    if (!taken) refused = taken.error();
    return taken;
  };
  Result<Answer> answer =
      streamAnswer(connection_->client, connection_->request(path, std::move(body)), tried);
  if (answer) return answer;
  return refused ? *std::move(refused) : connection_->broken(answer.error());
}

}  // namespace spindle::transfer
