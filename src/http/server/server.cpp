#include "http/server/server.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <stdexcept>
#include <utility>

#include <boost/asio/ssl/context.hpp>
#include <malloc.h>
#include <unistd.h>

#include "base/core/mutex.h"
#include "http/client/local_clients.h"
#include "http/io/io_thread.h"
#include "http/io/listener.h"
#include "http/io/socket_transport.h"
#include "http/io/worker_pool.h"
#include "http/server/access_log.h"
#include "http/server/log.h"
#include "http/server/session.h"

namespace spindle::http {
namespace {

namespace ssl = boost::asio::ssl;

/// Maximum number of connections over the limit that get a 503 at the same time; others are closed.
constexpr std::size_t kMaxRejecting = 256;

/// ALPN callback: selects HTTP/1.1 independent of the client's preferences.
int chooseProtocol(SSL* /*ssl*/,
                   const unsigned char** out,
                   unsigned char* out_size,
                   const unsigned char* in,
                   unsigned in_size,
                   void* /*unused*/) {
  static constexpr unsigned char kOffer[] = "\x08http/1.1";
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kOffer, sizeof kOffer - 1, in, in_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

std::unique_ptr<ssl::context> makeTls(const TlsFiles& files) {
  if (files.certificate.empty() && files.private_key.empty()) return nullptr;
  auto tls = std::make_unique<ssl::context>(ssl::context::tls_server);
  SSL_CTX_set_min_proto_version(tls->native_handle(), TLS1_2_VERSION);
  SSL_CTX_set_mode(tls->native_handle(), SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_alpn_select_cb(tls->native_handle(), chooseProtocol, nullptr);
  boost::system::error_code error;
  tls->use_certificate_chain_file(files.certificate, error);
  if (error) {
    throw std::runtime_error("cannot use the TLS certificate " + files.certificate + ": " +
                             error.message());
  }
  tls->use_private_key_file(files.private_key, ssl::context::pem, error);
  if (error) {
    throw std::runtime_error("cannot use the TLS private key " + files.private_key + ": " +
                             error.message());
  }
  return tls;
}

/// Returns the interval for checking deadlines: a quarter of the shortest timeout, within bounds.
std::chrono::milliseconds sweepInterval(const ServerLimits& limits) {
  std::chrono::milliseconds shortest = std::min(
      {limits.header_timeout, limits.body_timeout, limits.idle_timeout, limits.write_timeout});
  if (limits.body_rate > 0) shortest = std::min(shortest, limits.body_grace);
  return std::clamp(shortest / 4, std::chrono::milliseconds(5), std::chrono::milliseconds(250));
}

/// Returns memory to the system, on a worker because it takes a while. Otherwise the allocator
/// would keep the memory of ten thousand closed connections.
class TrimMemory final : public WorkerPool::Job {
 public:
  /// Returns true if the job may be submitted, that is, it is not queued or running.
  bool claim() { return !busy_.exchange(true); }
  void run() noexcept override {
    ::malloc_trim(0);
    busy_.store(false);
  }
  void drop() noexcept override { busy_.store(false); }

 private:
  std::atomic<bool> busy_{false};
};

}  // namespace

class Server::Core {
 public:
  Core(ServerOptions options, const Service& service, MetricRegistry& metrics)
      : options_(std::move(options)),
        tls_(makeTls(options_.tls)),
        threads_(makeThreads(metrics)),
        accepting_(metrics, std::chrono::minutes(1), [] {}),
        listener_(makeListener(accepting_, options_)),
        port_(listener_.port()),
        access_log_(makeAccessLog(options_, metrics)),
        workers_(std::max<std::size_t>(1, options_.worker_threads),
                 options_.limits.queued_requests,
                 metrics.gauge("spindle_http_queued_requests", "Requests waiting for a worker.")),
        outbound_(std::max<std::size_t>(1, options_.outbound_threads),
                  options_.limits.queued_requests,
                  metrics.gauge("spindle_http_queued_outbound_requests",
                                "Requests waiting for an outbound thread.")),
        context_(options_, service, workers_, outbound_, access_log_.get(), metrics) {}

  ~Core() { stop(); }

  void start() {
    const MutexLock lock(mutex_);
    if (started_ || stopped_) return;
    started_ = true;
    for (const auto& thread : threads_) thread->start();
    if (options_.clients != nullptr) {
      onEveryThread([this](IoThread& thread) { options_.clients->attach(thread); });
    }
    accepting_.start();
    accepting_.post([this] {
      listener_.start([this](const Listener::Accepted& accepted) { receive(accepted); });
    });
  }

  void retire() { context_.retiring.store(true); }

  bool stop() {
    const MutexLock lock(mutex_);
    if (std::exchange(stopped_, true)) return clean_;
    if (started_) {
      clean_ = drain();
      accepting_.stop();
      if (options_.clients != nullptr) {
        onEveryThread([this](IoThread& /*thread*/) { options_.clients->detach(); });
      }
      for (const auto& thread : threads_) thread->stop();
      if (options_.clients != nullptr) options_.clients->clear();
    }
    workers_.stop();
    outbound_.stop();
    access_log_.reset();
    return clean_;
  }

  std::uint16_t port() const { return port_; }

  std::string url() const {
    if (!options_.unix_path.empty()) return "unix:" + options_.unix_path;
    const bool ipv6 = options_.address.find(':') != std::string::npos;
    const std::string host = ipv6 ? "[" + options_.address + "]" : options_.address;
    return (tls_ ? "https://" : "http://") + host + ":" + std::to_string(port_);
  }

 private:
  using Threads = std::vector<std::unique_ptr<IoThread>>;

  Threads makeThreads(MetricRegistry& metrics) {
    Threads threads;
    for (std::size_t i = 0; i < std::max<std::size_t>(1, options_.io_threads); ++i) {
      threads.push_back(std::make_unique<IoThread>(metrics, sweepInterval(options_.limits),
                                                   [this] { trimMemory(); }));
    }
    return threads;
  }

  static Listener makeListener(IoThread& thread, const ServerOptions& options) {
    if (!options.unix_path.empty()) return Listener(thread, options.unix_path);
    return Listener(thread, options.address, options.port);
  }

  void trimMemory() {
    if (trim_memory_.claim()) workers_.submit(trim_memory_);
  }

  static std::unique_ptr<AccessLog> makeAccessLog(const ServerOptions& options,
                                                  MetricRegistry& metrics) {
    if (!options.access_log) return nullptr;
    return std::make_unique<AccessLog>(metrics.counter(
        "spindle_http_access_log_lost_total", "Access log lines that could not be written."));
  }

  /// Pins a new connection to an I/O thread. Runs on the accepting thread.
  void receive(const Listener::Accepted& accepted) {
    ConnectionDecision decision = ConnectionDecision::kServe;
    if (context_.serving.fetch_add(1) >= options_.limits.connections) {
      context_.serving.fetch_sub(1);
      decision = ConnectionDecision::kReject;
      if (context_.rejecting.fetch_add(1) >= kMaxRejecting) {
        context_.rejecting.fetch_sub(1);
        accepting_.metrics().rejected("connections");
        ::close(accepted.descriptor);
        return;
      }
    }
    // Counted before the hand-over, so that stop() waits for connections between two threads.
    context_.opened();
    IoThread& thread = *threads_[next_thread_++ % threads_.size()];
    // Created on this thread, because Asio never frees its record of a descriptor. Among the memory
    // of sessions, these records would prevent the release of all its pages.
    std::shared_ptr<Transport> transport =
        makeSocketTransport(thread.context(), accepted.descriptor, accepted.ipv6, tls_.get());
    if (!transport) return context_.closed(decision);
    thread.post([this, &thread, transport = std::move(transport), peer = accepted.peer, decision] {
      Session::start(context_, thread, transport, peer, decision);
    });
  }

  /// Runs a function on every I/O thread and blocks until all have run it.
  template <class Function>
  void onEveryThread(Function function) {
    std::vector<std::promise<void>> done(threads_.size());
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      IoThread& thread = *threads_[i];
      std::promise<void>& promise = done[i];
      thread.post([&function, &thread, &promise] {
        function(thread);
        promise.set_value();
      });
    }
    for (std::promise<void>& promise : done) promise.get_future().wait();
  }

  /// @return true if all requests completed in time.
  bool drain() {
    context_.draining.store(true);
    std::promise<void> closed;
    accepting_.post([this, &closed] {
      listener_.stop();
      closed.set_value();
    });
    closed.get_future().wait();
    onEveryThread([](IoThread& thread) { thread.drainAll(); });
    if (context_.waitUntilEmpty(options_.limits.drain_timeout)) return true;
    std::atomic<std::size_t> cut{0};
    onEveryThread([&cut](IoThread& thread) { cut += thread.cutAll(); });
    // Waits only for running handlers, which cannot be stopped.
    workers_.stop();
    outbound_.stop();
    while (!context_.waitUntilEmpty(std::chrono::seconds(1))) {
      onEveryThread([&cut](IoThread& thread) { cut += thread.cutAll(); });
    }
    if (cut > 0) kLog.warning("requests_cut", {{"count", cut.load()}});
    return cut == 0;
  }

  const ServerOptions options_;
  const std::unique_ptr<ssl::context> tls_;
  TrimMemory trim_memory_;
  const Threads threads_;
  IoThread accepting_;
  Listener listener_;
  const std::uint16_t port_;
  std::unique_ptr<AccessLog> access_log_;
  WorkerPool workers_;
  WorkerPool outbound_;
  SessionContext context_;
  std::size_t next_thread_ = 0;  ///< used by the accepting thread only

  Mutex mutex_;
  bool started_ SPINDLE_GUARDED_BY(mutex_) = false;
  bool stopped_ SPINDLE_GUARDED_BY(mutex_) = false;
  bool clean_ SPINDLE_GUARDED_BY(mutex_) = true;
};

Server::Server(ServerOptions options, const Service& service, MetricRegistry& metrics)
    : core_(std::make_unique<Core>(std::move(options), service, metrics)) {}
Server::~Server() = default;

void Server::start() { core_->start(); }
std::uint16_t Server::port() const { return core_->port(); }
std::string Server::url() const { return core_->url(); }
void Server::retire() { core_->retire(); }
bool Server::stop() { return core_->stop(); }

}  // namespace spindle::http
