#include "http/client/client.h"

#include <atomic>
#include <future>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <openssl/ssl.h>

#include "base/core/check.h"
#include "http/client/client_connection.h"
#include "http/client/client_message.h"
#include "http/client/connection_pool.h"
#include "http/client/name_lookup.h"
#include "http/io/io_thread.h"

namespace spindle::http {
namespace {

namespace net = boost::asio;
namespace ssl = boost::asio::ssl;
using net::awaitable;
using Clock = ConnectionPool::Clock;
using Fault = boost::system::error_code;

constexpr auto kTimerAsTuple = net::as_tuple(net::use_awaitable);
constexpr std::size_t kLookupThreads = 4;
constexpr std::size_t kBorrowedLookupThreads = 1;
constexpr std::size_t kBodySourceChunk = 1UL << 20;

Error upstream(std::string_view message, std::string_view reason = {}) {
  return Error(ErrorCode::kUpstream, message).because(reason);
}

/// A running request. After start, only the I/O thread uses its members, except `cancelled`.
/// Shared by its coroutine and its timers; the caller's handle has a weak reference.
class Call final : public std::enable_shared_from_this<Call> {
 public:
  Call(net::io_context& io, ClientRequest wanted)
      : request(std::move(wanted)),
        started(Clock::now()),
        deadline(started + request.timeout),
        wake(io),
        watchdog_(io) {
    wake.expires_at(Clock::time_point::max());
  }

  /// Sets the deadline of the call and the error message for it. Replaces the previous deadline.
  void limit(Clock::time_point when, std::string_view what) {
    limit_ = when;
    what_ = what;
    if (watching_ && when >= watchdog_.expiry()) return;  // the timer checks the new deadline
    watch();
  }

  /// Fails the call and ends the operation that its coroutine awaits.
  void abort(Error error) {
    if (failure || finished_) return;
    failure = std::move(error);
    wake.cancel();
    if (connection != nullptr) connection->close();
  }

  void finish(Result<void> outcome) {
    finished_ = true;
    watchdog_.cancel();
    // Releases the callbacks right after the call, because they may own objects that wait for it.
    const auto on_done = std::exchange(done, nullptr);
    const StreamHandler stream = std::exchange(handler, StreamHandler());
    if (streamed) {
      if (stream.on_end) stream.on_end(std::move(outcome));
    } else if (outcome) {
      on_done(std::move(response));
    } else {
      on_done(std::move(outcome).error());
    }
  }

  /// Passes unread bytes to the reader, and its new output to the collector or the callbacks.
  Result<void> take(ReadBuffer& unread, ResponseReader& reader) {
    const std::size_t used = TRY(reader.feed(unread.view()));
    unread.consume(used);
    if (!reader.headDone()) return {};
    if (!head_taken_) {
      head_taken_ = true;
      response = std::move(reader.head());
      if (!streamed) collector_.emplace(request, response, reader.contentLength());
      if (handler.on_head && !*cancelled) handler.on_head(response);
    }
    const std::string body = reader.takeBody();
    body_began_ = body_began_ || !body.empty();
    if (streamed) limitSilence();
    if (!body.empty() && collector_) {
      TRY(collector_->add(body));
    }
    if (!body.empty() && handler.on_bytes && !*cancelled) paused = !handler.on_bytes(body);
    if (reader.done() && collector_) return collector_->finish();
    return {};
  }

  /// Sets the deadline for the next chunk of a stream, limited by stream_timeout.
  void limitSilence() {
    const bool first = !body_began_ && request.stream_first_timeout.count() > 0;
    const Clock::time_point next =
        Clock::now() + (first ? request.stream_first_timeout : request.stream_idle_timeout);
    const bool endless = request.stream_timeout.count() == 0;
    limit(endless ? next : std::min(next, started + request.stream_timeout),
          "The server sent nothing for too long.");
  }

  // Constant after the call has started.
  ClientRequest request;
  const Clock::time_point started;
  const Clock::time_point deadline;
  Url url;
  bool streamed = false;
  std::function<void(Result<Response>)> done;
  StreamHandler handler;
  /// Separate from the call, so that a handle can set it without owning the call.
  std::shared_ptr<std::atomic<bool>> cancelled = std::make_shared<std::atomic<bool>>(false);

  // Conditions that the coroutine awaits in addition to the socket; `wake` signals each change.
  net::steady_timer wake;
  std::optional<Error> failure;
  std::optional<std::vector<std::string>> addresses;
  ConnectionPool::SlotRequest slot_request;
  bool paused = false;

  ClientConnection* connection = nullptr;  ///< in use by the coroutine
  std::size_t sent = 0;
  std::size_t received = 0;
  Response response;

 private:
  void watch() {
    watching_ = true;
    watchdog_.expires_at(limit_);
    watchdog_.async_wait([self = shared_from_this()](Fault fault) {
      if (fault || self->finished_) return;
      if (Clock::now() < self->limit_) {
        self->watch();
      } else {
        self->abort({ErrorCode::kTimeout, std::string(self->what_)});
      }
    });
  }

  net::steady_timer watchdog_;
  Clock::time_point limit_;
  std::string_view what_;
  bool watching_ = false;
  bool finished_ = false;
  bool head_taken_ = false;
  bool body_began_ = false;
  std::optional<BodyCollector> collector_;  // none for a stream
};

class CallHandle final : public ClientExchange {
 public:
  CallHandle(std::shared_ptr<net::io_context> io, const std::shared_ptr<Call>& call)
      : io_(std::move(io)), call_(call), cancelled_(call->cancelled) {}

  void resume() override {
    net::post(*io_, [weak = call_] {
      const std::shared_ptr<Call> call = weak.lock();
      if (!call || !call->paused) return;
      call->paused = false;
      call->limitSilence();
      call->wake.cancel();
    });
  }

  void cancel() override {
    *cancelled_ = true;
    net::post(*io_, [weak = call_] {
      const std::shared_ptr<Call> call = weak.lock();
      if (call) call->abort(Error::unavailable("The exchange was cancelled."));
    });
  }

 private:
  const std::shared_ptr<net::io_context> io_;  // shared, because a handle may outlive the client
  const std::weak_ptr<Call> call_;
  const std::shared_ptr<std::atomic<bool>> cancelled_;
};

}  // namespace

class Client::Core {
 public:
  explicit Core(ClientOptions options)
      : Core(std::move(options), std::make_shared<net::io_context>(1), kLookupThreads) {
    work_.emplace(net::make_work_guard(*io_));
    thread_ = std::thread([this] { io_->run(); });
    io_thread_id_ = thread_.get_id();
  }

  Core(ClientOptions options, IoThread& thread)
      : Core(std::move(options), thread.sharedContext(), kBorrowedLookupThreads) {
    io_thread_id_ = std::this_thread::get_id();
  }

  ~Core() {
    if (thread_.joinable()) {
      net::post(*io_, [this] { detach(); });
      thread_.join();
    }
    lookups_.join();
  }

  void detach() {
    stopping_ = true;
    const std::set<std::shared_ptr<Call>> under_way = calls_;
    for (const std::shared_ptr<Call>& call : under_way) {
      call->abort(Error::unavailable("The client is shutting down."));
    }
    pool_.close();
    sweep_timer_.cancel();
    work_.reset();
  }

  bool onIoThread() const { return std::this_thread::get_id() == io_thread_id_; }

  std::shared_ptr<Call> makeCall(ClientRequest request) {
    return std::make_shared<Call>(*io_, std::move(request));
  }

  std::shared_ptr<ClientExchange> handleOf(const std::shared_ptr<Call>& call) {
    return std::make_shared<CallHandle>(io_, call);
  }

  void start(std::shared_ptr<Call> call) {
    net::post(*io_, [this, call = std::move(call)] {
      if (stopping_) {
        call->finish(Error::unavailable("The client is shutting down."));
        return;
      }
      calls_.insert(call);
      net::co_spawn(*io_, run(call), net::detached);
    });
  }

 private:
  Core(ClientOptions options, std::shared_ptr<net::io_context> io, std::size_t lookup_threads)
      : options_(std::move(options)),
        io_(std::move(io)),
        tls_(ssl::context::tls_client),
        pool_(options_.connections_per_origin,
              options_.idle_connections_per_origin,
              options_.idle_timeout),
        sweep_timer_(*io_),
        lookups_(lookup_threads) {
    SSL_CTX_set_min_proto_version(tls_.native_handle(), TLS1_2_VERSION);
    tls_.set_verify_mode(ssl::verify_peer);
    if (!options_.ca_file.empty()) {
      Fault fault;
      tls_.load_verify_file(options_.ca_file, fault);
      if (fault) {
        throw std::runtime_error("cannot read the trusted certificates " + options_.ca_file + ": " +
                                 fault.message());
      }
      trust_loaded_ = true;
    }
  }

  /// A slot of the pool. The destructor releases it, with the connection if it can be reused.
  class Slot {
   public:
    Slot(Core& core, std::string origin) : core_(core), origin_(std::move(origin)) {}
    ~Slot() {
      core_.pool_.release(origin_, keep ? std::move(connection) : nullptr, Clock::now());
      core_.startSweep();
    }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;

    std::unique_ptr<ClientConnection> connection;
    bool keep = false;

   private:
    Core& core_;
    const std::string origin_;
  };

  awaitable<void> run(std::shared_ptr<Call> call) {
    Result<void> outcome;
    try {
      outcome = co_await perform(call);
    } catch (const std::exception& e) {
      outcome = Error::internal(std::string("The HTTP client failed: ") + e.what());
    }
    call->connection = nullptr;
    if (*call->cancelled) outcome = Error::unavailable("The exchange was cancelled.");
    if (call->failure) outcome = *call->failure;
    calls_.erase(call);
    call->finish(std::move(outcome));
  }

  awaitable<Result<void>> perform(std::shared_ptr<Call> call) {
    Result<Url> url = parseUrl(call->request.url);
    if (!url) co_return std::move(url).error();
    call->url = *std::move(url);
    if (call->url.scheme == Url::Scheme::kUnix && call->request.filter) {
      co_return Error::denied("A Unix socket has no address that could be allowed.");
    }
    Result<std::string> head = requestHead(call->request, call->url, call->streamed);
    if (!head) co_return std::move(head).error();

    const std::string origin = call->url.origin();
    const bool has_slot = co_await acquire(call, origin);
    if (!has_slot) co_return *call->failure;
    Slot slot(*this, origin);
    slot.connection.reset(static_cast<ClientConnection*>(call->slot_request.connection.release()));
    if (slot.connection && !allows(*call, *slot.connection)) slot.connection.reset();

    for (bool may_repeat = true;; may_repeat = false) {
      if (!slot.connection) {
        Result<std::unique_ptr<ClientConnection>> opened = co_await open(call);
        if (!opened) co_return std::move(opened).error();
        slot.connection = *std::move(opened);
      }
      const bool was_used = std::exchange(slot.connection->used, true);
      Result<bool> reusable = co_await sendAndReceive(call, slot.connection.get(), *head);
      if (reusable) {
        slot.keep = *reusable && !stopping_;
        co_return Result<void>();
      }
      // A server may close an idle connection at the moment of its reuse.
      const bool is_safe = isIdempotent(call->request.method) || call->sent == 0;
      if (!may_repeat || !was_used || !is_safe || call->received > 0 || call->failure) {
        co_return std::move(reusable).error();
      }
      call->connection = nullptr;
      slot.connection.reset();
    }
  }

  static bool allows(const Call& call, const ClientConnection& connection) {
    return !call.request.filter || call.request.filter(connection.address, call.url.port);
  }

  /// Waits for a slot. Returns false if the call fails first.
  awaitable<bool> acquire(std::shared_ptr<Call> call, std::string origin) {
    call->limit(call->deadline, "No connection to the server was free in time.");
    call->slot_request.on_granted = [waiting = call.get()] { waiting->wake.cancel(); };
    const ConnectionPool::Accept accept = [waiting = call.get()](const auto& connection) {
      return allows(*waiting, static_cast<const ClientConnection&>(connection));
    };
    pool_.acquire(origin, accept, call->slot_request);
    while (!call->slot_request.granted && !call->failure) {
      co_await call->wake.async_wait(kTimerAsTuple);
    }
    if (!call->failure) co_return true;
    pool_.detach(origin, call->slot_request, Clock::now());
    co_return false;
  }

  /// Returns the addresses of the URL's host; empty if there are none.
  awaitable<std::vector<std::string>> resolve(std::shared_ptr<Call> call) {
    const std::optional<std::string> literal = addressLiteral(call->url.host);
    if (literal) co_return std::vector<std::string>(1, *literal);
    // Asio's resolver uses one thread for all names and cannot cancel a slow lookup.
    net::post(lookups_,
              [this, io = io_.get(), weak = std::weak_ptr<Call>(call), host = call->url.host] {
                if (weak.expired()) return;
                std::vector<std::string> found =
                    options_.look_up ? options_.look_up(host) : lookUpAddresses(host);
                net::post(*io, [weak, found = std::move(found)]() mutable {
                  const std::shared_ptr<Call> waiting = weak.lock();
                  if (!waiting) return;
                  waiting->addresses = std::move(found);
                  waiting->wake.cancel();
                });
              });
    while (!call->addresses && !call->failure) {
      co_await call->wake.async_wait(kTimerAsTuple);
    }
    co_return call->addresses.value_or(std::vector<std::string>());
  }

  awaitable<Result<std::unique_ptr<ClientConnection>>> open(std::shared_ptr<Call> call) {
    const bool own_limit = call->request.connect_timeout.count() > 0;
    const auto connect_limit = own_limit ? call->request.connect_timeout : options_.connect_timeout;
    const Clock::time_point deadline = std::min(call->deadline, Clock::now() + connect_limit);
    call->limit(deadline, "The server could not be reached in time.");
    if (call->url.scheme == Url::Scheme::kUnix) {
      co_return co_await connect(call, std::string(), deadline);
    }
    const std::vector<std::string> addresses = co_await resolve(call);
    if (call->failure) co_return *call->failure;
    Error failure = upstream("The server's name could not be resolved.", "dns_error");
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      if (call->request.filter) {
        const Result<void> allowed = call->request.filter(addresses[i], call->url.port);
        if (!allowed) {
          failure = Error::denied(allowed.error().message());
          continue;
        }
      }
      // An address that does not respond must not use the time of the next one.
      const Clock::time_point now = Clock::now();
      const Clock::time_point slice = now + (deadline - now) / (addresses.size() - i);
      Result<std::unique_ptr<ClientConnection>> connection =
          co_await connect(call, addresses[i], slice);
      if (call->failure) co_return *call->failure;
      if (connection) co_return co_await secureIfHttps(call, *std::move(connection));
      failure = std::move(connection).error();
    }
    co_return failure;
  }

  /// `address` is empty for a Unix socket.
  awaitable<Result<std::unique_ptr<ClientConnection>>> connect(std::shared_ptr<Call> call,
                                                               std::string address,
                                                               Clock::time_point until) {
    auto connection = std::make_unique<ClientConnection>(*io_);
    call->connection = connection.get();
    net::steady_timer timer(*io_, until);
    const auto watched =
        std::make_shared<ClientConnection*>(connection.get());  // a queued handler may use it
    timer.async_wait([watched](Fault fault) {
      if (!fault && *watched != nullptr) (*watched)->close();
    });
    ClientConnection::Outcome outcome;
    if (call->url.scheme == Url::Scheme::kUnix) {
      outcome = co_await connection->connectUnix(call->url.socket_path);
    } else {
      outcome = co_await connection->connectTcp(address, call->url.port);
    }
    *watched = nullptr;
    call->connection = nullptr;
    if (outcome.is_aborted) {
      co_return Error(ErrorCode::kTimeout, "The server could not be reached in time.");
    }
    if (!outcome.fault.empty()) {
      co_return upstream("The server could not be reached: " + outcome.fault + ".",
                         "connect_error");
    }
    co_return std::move(connection);
  }

  awaitable<Result<std::unique_ptr<ClientConnection>>> secureIfHttps(
      std::shared_ptr<Call> call, std::unique_ptr<ClientConnection> connection) {
    if (call->url.scheme != Url::Scheme::kHttps) co_return std::move(connection);
    if (!std::exchange(trust_loaded_, true)) {
      // Loaded on first use, because it costs tens of milliseconds and megabytes.
      Fault ignored;  // without certificates no server is trusted
      tls_.set_default_verify_paths(ignored);
    }
    call->connection = connection.get();
    const ClientConnection::Outcome outcome = co_await connection->secure(tls_, call->url.host);
    call->connection = nullptr;
    if (!outcome.fault.empty()) {
      co_return upstream("The TLS handshake with the server failed: " + outcome.fault + ".",
                         "tls_error");
    }
    co_return std::move(connection);
  }

  /// Sends a sourced body chunk by chunk. @return the result of the last write, or the read error.
  awaitable<Result<ClientConnection::Outcome>> writeBodySource(std::shared_ptr<Call> call,
                                                               ClientConnection* connection) {
    const RequestBodySource& body = call->request.body_source;
    ClientConnection::Outcome written;
    const std::string_view no_head;
    for (std::uint64_t at = 0; at < body.size && written.fault.empty();) {
      call->limit(Clock::now() + call->request.stream_idle_timeout,
                  "The server did not accept the request body in time.");
      const std::size_t most = std::min<std::uint64_t>(kBodySourceChunk, body.size - at);
      const Result<std::string> chunk = body.read(at, most);
      if (!chunk) co_return chunk.error();
      if (chunk->empty()) co_return Error::unavailable("The body ended too early.");
      written = co_await connection->write(no_head, *chunk);
      call->sent += written.bytes;
      at += chunk->size();
    }
    co_return written;
  }

  /// Ends the response after the last read. @return an error if the response is incomplete.
  static Result<void> endResponse(const ClientConnection::Outcome& read, ResponseReader& reader) {
    if (!read.is_end) return upstream("The connection to the server broke: " + read.fault + ".");
    return reader.end();
  }

  /// Sends the request and reads the response. @return true if the connection can be reused.
  awaitable<Result<bool>> sendAndReceive(std::shared_ptr<Call> call,
                                         ClientConnection* connection,
                                         std::string head) {
    call->limit(call->deadline, "The server did not respond in time.");
    call->connection = connection;
    ClientConnection::Outcome written = co_await connection->write(head, call->request.body);
    call->sent = written.bytes;
    if (call->request.body_source.read && written.fault.empty()) {
      Result<ClientConnection::Outcome> sourced = co_await writeBodySource(call, connection);
      if (!sourced) co_return std::move(sourced).error();
      written = *std::move(sourced);
      call->limit(Clock::now() + call->request.timeout, "The server did not respond in time.");
    }
    // After a failed write, still read: the server may have sent a response before it closed.
    ResponseReader reader(call->request.method != Method::kHead);
    bool is_open = written.fault.empty();
    while (true) {
      if (call->failure) co_return *call->failure;
      Result<void> taken = call->take(connection->unread, reader);
      if (!taken) co_return std::move(taken).error();
      while (call->paused && !call->failure) {
        call->limit(Clock::time_point::max(), "");
        co_await call->wake.async_wait(kTimerAsTuple);
      }
      if (call->failure) co_return *call->failure;
      if (reader.done()) break;
      const ClientConnection::Outcome read = co_await connection->read();
      call->received += read.bytes;
      if (call->failure) co_return *call->failure;
      if (read.fault.empty()) continue;
      is_open = false;
      Result<void> ended = endResponse(read, reader);
      if (!ended) co_return std::move(ended).error();
    }
    co_return is_open&& reader.keepAlive() && connection->unread.empty();
  }

  void startSweep() {
    if (sweeping_ || stopping_ || pool_.idleCount() == 0) return;
    const std::optional<Clock::time_point> next = pool_.sweep(Clock::now());
    if (!next) return;
    sweeping_ = true;
    sweep_timer_.expires_at(*next);
    sweep_timer_.async_wait([this](Fault fault) {
      sweeping_ = false;
      if (!fault) startSweep();
    });
  }

  const ClientOptions options_;
  std::shared_ptr<net::io_context> io_;  // shared with the handles of callers
  std::optional<net::executor_work_guard<net::io_context::executor_type>> work_;
  ssl::context tls_;
  bool trust_loaded_ = false;  // used by the I/O thread only, once it runs

  // Used by the I/O thread only.
  ConnectionPool pool_;
  std::set<std::shared_ptr<Call>> calls_;
  net::steady_timer sweep_timer_;
  bool sweeping_ = false;
  bool stopping_ = false;

  net::thread_pool lookups_;
  std::thread::id io_thread_id_;
  std::thread thread_;  // not joinable if the I/O thread is borrowed
};

Client::Client(ClientOptions options) : core_(std::make_unique<Core>(std::move(options))) {}
Client::Client(ClientOptions options, IoThread& thread)
    : core_(std::make_unique<Core>(std::move(options), thread)) {}
Client::~Client() = default;

void Client::detach() { core_->detach(); }

void Client::send(ClientRequest request, std::function<void(Result<Response>)> done) {
  const std::shared_ptr<Call> call = core_->makeCall(std::move(request));
  call->done = std::move(done);
  core_->start(call);
}

Result<Response> Client::fetch(ClientRequest request) {
  SPINDLE_ASSERT(!core_->onIoThread(), "fetch() must not run on the client's I/O thread");
  std::promise<Result<Response>> answer;
  send(std::move(request),
       [&answer](Result<Response> response) { answer.set_value(std::move(response)); });
  return answer.get_future().get();
}

std::shared_ptr<ClientExchange> Client::stream(ClientRequest request, StreamHandler handler) {
  const std::shared_ptr<Call> call = core_->makeCall(std::move(request));
  call->streamed = true;
  call->handler = std::move(handler);
  std::shared_ptr<ClientExchange> handle = core_->handleOf(call);
  core_->start(call);
  return handle;
}

}  // namespace spindle::http
