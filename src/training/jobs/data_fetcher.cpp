#include "training/jobs/data_fetcher.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/core/mutex.h"
#include "http/client/client.h"
#include "http/client/name_lookup.h"
#include "http/message/uri.h"
#include "training/data/training_file_store.h"

namespace spindle::training {
namespace {

constexpr std::string_view kFileScheme = "file:";
constexpr std::size_t kPiece = 256UL * 1024;
/// Buffered bytes at which the source is paused until some are written.
constexpr std::size_t kMostWaiting = 4UL * 1024 * 1024;
constexpr int kMostRedirects = 5;
constexpr std::chrono::seconds kUntilHead{30};
constexpr std::chrono::seconds kBetweenPieces{30};
/// Less than the ten minutes that clients wait for their job.
constexpr std::chrono::minutes kWhole{9};

Error refused(const std::string& why) {
  return Error::invalidArgument("training_data_url cannot be read: " + why);
}

Error tooLarge(std::size_t largest) {
  return refused("it is larger than " + std::to_string(largest) +
                 " bytes, which training.fetch_limit allows. Put it into an artifact instead.");
}

/// Writes lines to disk; checks the size and the first character.
class Lines {
 public:
  Lines(std::unique_ptr<TrainingFileWriter> intake, std::size_t largest)
      : intake_(std::move(intake)), largest_(largest) {}

  Result<void> add(std::string_view bytes) {
    size_ += bytes.size();
    if (size_ > largest_) return tooLarge(largest_);
    if (!begun_) {
      const std::size_t first = bytes.find_first_not_of(" \t\r\n");
      if (first != std::string_view::npos) {
        begun_ = true;
        if (bytes[first] != '{') return notLines();
      }
    }
    return intake_->add(bytes);
  }

  Result<JobData> finish(const std::string& url) {
    if (!begun_) return notLines();
    const StoredFile kept = TRY(intake_->finish());
    JobData data;
    data.url = url;
    data.blob = kept.blob;
    data.size = kept.size;
    return data;
  }

 private:
  static Error notLines() {
    return refused(
        "it contains no lines of JSON. A line is an example: {\"messages\": [...]}, whose last "
        "message is from the assistant.");
  }

  std::unique_ptr<TrainingFileWriter> intake_;
  const std::size_t largest_;
  std::size_t size_ = 0;
  bool begun_ = false;
};

/// Passes a response from the HTTP client's thread to the thread that stores it.
class Arrival {
 public:
  void headed(const http::Response& head) {
    const MutexLock lock(mutex_);
    status_ = head.status;
    location_ = head.headers.get("Location");
    changed_.notifyAll();
  }

  /// Buffers bytes. Returns false if the buffer is full.
  bool add(std::string_view bytes) {
    const MutexLock lock(mutex_);
    waiting_ += bytes;
    changed_.notifyAll();
    return waiting_.size() < kMostWaiting;
  }

  void end(Result<void> outcome) {
    const MutexLock lock(mutex_);
    if (!outcome) failure_ = std::move(outcome).error();
    ended_ = true;
    changed_.notifyAll();
  }

  /// Blocks until the status is known. @return the error if there is none
  Result<int> status() {
    const MutexLock lock(mutex_);
    while (!status_ && !ended_) changed_.wait(mutex_);
    if (status_) return *status_;
    return failure_.value_or(Error::unavailable("The server is going down."));
  }

  std::string location() {
    const MutexLock lock(mutex_);
    return location_;
  }

  /// Blocks until bytes are available; returns none at the end. @return the error that ended the
  /// response
  Result<std::string> next() {
    const MutexLock lock(mutex_);
    while (waiting_.empty() && !ended_) changed_.wait(mutex_);
    if (waiting_.empty() && failure_) return *failure_;
    return std::exchange(waiting_, std::string());
  }

 private:
  Mutex mutex_;
  Condition changed_;
  std::optional<int> status_ SPINDLE_GUARDED_BY(mutex_);
  std::string location_ SPINDLE_GUARDED_BY(mutex_);
  std::string waiting_ SPINDLE_GUARDED_BY(mutex_);
  std::optional<Error> failure_ SPINDLE_GUARDED_BY(mutex_);
  bool ended_ SPINDLE_GUARDED_BY(mutex_) = false;
};

Error failedWith(const Error& error, const std::string& host) {
  switch (error.code()) {
    case ErrorCode::kUnavailable:
      return error;
    case ErrorCode::kPermissionDenied:
      return refused("the address of " + host +
                     " is not allowed. The rules are those of webhooks: webhooks.allow_private, "
                     "webhooks.allow_hosts, webhooks.allow_cidrs.");
    case ErrorCode::kTimeout:
      return refused(host + " did not send it in time. Put it into an artifact instead.");
    default:
      break;
  }
  if (error.reason() == "dns_error")
    return refused("the host name " + host + " cannot be resolved.");
  if (error.reason() == "tls_error") return refused(host + " has no valid TLS certificate.");
  return refused(host + " could not be reached, or broke off. Try again.");
}

/// Returns the target of a redirect; empty if there is no Location.
std::string targetOf(const http::Url& from, const std::string& location) {
  return location.starts_with('/') ? from.origin() + location : location;
}

bool isRedirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/// Returns the request for a URL. Connects only to addresses of the host that the rules allow.
http::ClientRequest dataRequest(const std::string& url,
                                const std::string& host,
                                const std::shared_ptr<const http::EgressPolicy>& rules) {
  http::ClientRequest request;
  request.url = url;
  request.headers.add("Accept-Encoding", "identity");
  request.timeout = kUntilHead;
  request.stream_idle_timeout = kBetweenPieces;
  request.stream_timeout = kWhole;
  request.filter = [rules, host](std::string_view address, std::uint16_t) -> Result<void> {
    if (!rules->allowsAddress(host, address)) return Error::denied("The address is not allowed.");
    return {};
  };
  return request;
}

/// Returns a handler that passes the response on.
http::StreamHandler handlerFor(const std::shared_ptr<Arrival>& arrival) {
  http::StreamHandler handler;
  handler.on_head = [arrival](const http::Response& head) { arrival->headed(head); };
  handler.on_bytes = [arrival](std::string_view bytes) { return arrival->add(bytes); };
  handler.on_end = [arrival](Result<void> outcome) { arrival->end(std::move(outcome)); };
  return handler;
}

/// Writes the body of a response until it ends. Cancels the exchange if writing fails.
Result<void> writeBody(Arrival& arrival,
                       http::ClientExchange& exchange,
                       const std::string& host,
                       Lines& lines) {
  while (true) {
    const Result<std::string> piece = arrival.next();
    if (!piece) return failedWith(piece.error(), host);
    if (piece->empty()) return {};
    if (Result<void> added = lines.add(*piece); !added) {
      exchange.cancel();
      return added;
    }
    exchange.resume();
  }
}

/// An open file; the destructor closes it.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  ~OpenFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool isPlain() const {
    struct stat about {};
    return fd_ >= 0 && ::fstat(fd_, &about) == 0 && S_ISREG(about.st_mode);
  }
  /// Returns the real path of the opened file, with all links resolved.
  std::filesystem::path truePath() const {
    std::error_code failed;
    return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd_), failed);
  }
  /// Reads the next bytes; none at the end. @return kUnavailable
  Result<std::string_view> read(std::array<char, kPiece>& room) const {
    while (true) {
      const ssize_t got = ::read(fd_, room.data(), room.size());
      if (got >= 0) return std::string_view(room.data(), static_cast<std::size_t>(got));
      if (errno != EINTR) return Error::unavailable("A file cannot be read.");
    }
  }

 private:
  const int fd_;
};

bool isBelow(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const std::string inside = (folder / "").string();
  return path.string().starts_with(inside);
}

}  // namespace

DataFetcher::DataFetcher(http::Client& client,
                         http::EgressPolicy rules,
                         TrainingFileStore& files,
                         DataFetchOptions options)
    : client_(client),
      rules_(std::make_shared<const http::EgressPolicy>(std::move(rules))),
      files_(files),
      options_(std::move(options)) {}

bool DataFetcher::isFor(std::string_view url) {
  return url.starts_with("http:") || url.starts_with("https:") || url.starts_with(kFileScheme);
}

Result<JobData> DataFetcher::fetch(const std::string& url) const {
  return url.starts_with(kFileScheme) ? fetchFile(url) : fetchPage(url);
}

Result<JobData> DataFetcher::fetchFile(const std::string& url) const {
  if (options_.folder.empty()) {
    return refused(
        "file URLs are disabled. Put the file into an artifact, or set "
        "training.data_folder.");
  }
  const std::string_view rest = std::string_view(url).substr(kFileScheme.size());
  std::optional<std::string> path;
  if (rest.starts_with("///")) path = http::percentDecode(rest.substr(2));
  // One message for all files that may not be read, so that callers cannot learn whether they
  // exist.
  const Error closed =
      refused("there is no file " + url + " below the folder that training.data_folder names.");
  if (!path) return closed;
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::canonical(options_.folder, failed);
  if (failed) return refused("the folder in training.data_folder does not exist.");
  const OpenFile file(*path);
  if (!file.isPlain() || !isBelow(file.truePath(), folder)) return closed;
  std::unique_ptr<TrainingFileWriter> intake = TRY(files_.receive());
  Lines lines(std::move(intake), options_.largest);
  const auto room = std::make_unique<std::array<char, kPiece>>();
  while (true) {
    const std::string_view piece = TRY(file.read(*room));
    if (piece.empty()) return lines.finish(url);
    TRY(lines.add(piece));
  }
}

Result<JobData> DataFetcher::fetchPage(const std::string& url) const {
  std::string at = url;
  for (int redirects = 0; redirects <= kMostRedirects; ++redirects) {
    const Result<http::Url> parsed = http::parseUrl(at);
    if (!parsed) return refused(parsed.error().message());
    if (parsed->scheme == http::Url::Scheme::kUnix) return refused("the scheme must be https.");
    const std::string host = parsed->host;
    const std::optional<std::string> problem =
        rules_->problemOf(parsed->scheme == http::Url::Scheme::kHttps, host,
                          http::addressLiteral(host), parsed->port);
    if (problem) return refused(*problem);

    const auto arrival = std::make_shared<Arrival>();
    const std::shared_ptr<http::ClientExchange> exchange =
        client_.stream(dataRequest(at, host, rules_), handlerFor(arrival));
    const Result<int> status = arrival->status();
    if (!status) return failedWith(status.error(), host);
    if (isRedirect(*status)) {
      exchange->cancel();
      at = targetOf(*parsed, arrival->location());
      continue;
    }
    if (*status != 200) {
      exchange->cancel();
      return refused(host + " answered " + std::to_string(*status) +
                     ". The URL must work without credentials.");
    }
    Result<std::unique_ptr<TrainingFileWriter>> intake = files_.receive();
    if (!intake) {
      exchange->cancel();
      return std::move(intake).error();
    }
    Lines lines(*std::move(intake), options_.largest);
    TRY(writeBody(*arrival, *exchange, host, lines));
    return lines.finish(url);
  }
  return refused("it has too many redirects.");
}

}  // namespace spindle::training
