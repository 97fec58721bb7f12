#include "transfer/artifact_server.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "http/client.h"
#include "transfer/answer_stream.h"

namespace spindle::transfer {
namespace {

using http::Method;

constexpr std::chrono::milliseconds kTimeout{300'000};

/// A file that can be read at any offset. The destructor closes it.
class FileSource {
 public:
  explicit FileSource(const std::string& path)
      : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~FileSource() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  Result<std::string> read(std::uint64_t offset, std::size_t most) const {
    std::string piece(most, '\0');
    const ssize_t count =
        ::pread(descriptor_, piece.data(), piece.size(), static_cast<off_t>(offset));
    if (count < 0) {
      return Error::unavailable(path_ + ": " + std::generic_category().message(errno));
    }
    if (count == 0) return Error::unavailable(path_ + ": became shorter during the upload");
    piece.resize(static_cast<std::size_t>(count));
    return piece;
  }

 private:
  const std::string path_;
  const int descriptor_;
};

Error refusal(const Answer& answer) {
  Error error = explain(answer);
  switch (answer.status) {
    case 403:
      return Error::denied(error.message());
    case 404:
      return Error::notFound(error.message());
    case 409:
      return Error::conflict(error.message());
    case 413:
    case 422:
      return Error::invalidArgument(error.message());
    default:
      return error;
  }
}

bool isGood(const Answer& answer) { return answer.status >= 200 && answer.status < 300; }

}  // namespace

struct ArtifactServer::Connection {
  Connection(ServerAddress where, http::ClientOptions options)
      : address(std::move(where)), client(std::move(options)) {}

  http::ClientRequest request(Method method, const std::string& path) const {
    http::ClientRequest made;
    made.method = method;
    made.url = address.url + path;
    made.headers.add("Authorization", "Bearer " + std::string(address.key.reveal()));
    made.timeout = kTimeout;
    return made;
  }

  Result<std::string> ask(http::ClientRequest request) {
    Result<Answer> answer = wholeAnswer(client, std::move(request));
    if (!answer) return broken(answer.error());
    if (!isGood(*answer)) return refusal(*answer);
    return std::move(answer->body);
  }

  Error broken(const Error& error) const {
    return {error.code(), "no response from " + address.url + ": " + error.message()};
  }

  const ServerAddress address;
  http::Client client;
};

ArtifactServer::ArtifactServer(ServerAddress address) {
  http::ClientOptions options;
  options.ca_file = address.ca_file;
  connection_ = std::make_unique<Connection>(std::move(address), std::move(options));
}

ArtifactServer::~ArtifactServer() = default;

Result<std::string> ArtifactServer::get(const std::string& path) {
  return connection_->ask(connection_->request(Method::kGet, path));
}

Result<std::string> ArtifactServer::post(const std::string& path, std::string body) {
  http::ClientRequest request = connection_->request(Method::kPost, path);
  if (!body.empty()) request.headers.add("Content-Type", "application/json");
  request.body = std::move(body);
  return connection_->ask(std::move(request));
}

Result<std::string> ArtifactServer::put(const std::string& path) {
  return connection_->ask(connection_->request(Method::kPut, path));
}

Result<std::string> ArtifactServer::remove(const std::string& path) {
  return connection_->ask(connection_->request(Method::kDelete, path));
}

Result<void> ArtifactServer::upload(const std::string& url,
                                    const std::string& md5,
                                    const std::string& file,
                                    std::uint64_t size,
                                    const std::function<void(std::uint64_t)>& sent) {
  http::ClientRequest request;
  request.method = Method::kPut;
  request.url = url;
  request.headers.add("Content-MD5", md5);
  request.timeout = kTimeout;
  const auto source = std::make_shared<FileSource>(file);
  request.sourced_body.size = size;
  request.sourced_body.read = [source, sent](std::uint64_t offset, std::size_t most) {
    sent(offset);
    return source->read(offset, most);
  };
  const Result<std::string> answer = connection_->ask(std::move(request));
  if (!answer) return answer.error();
  sent(size);
  return {};
}

Result<void> ArtifactServer::download(const std::string& path,
                                      std::uint64_t offset,
                                      const std::function<Result<void>(std::string_view)>& take) {
  http::ClientRequest request = connection_->request(Method::kGet, path);
  if (offset > 0) request.headers.add("Range", "bytes=" + std::to_string(offset) + "-");
  const Result<Answer> answer = streamAnswer(connection_->client, std::move(request), take);
  if (!answer) return answer.error();
  if (!isGood(*answer)) return refusal(*answer);
  return {};
}

}  // namespace spindle::transfer
