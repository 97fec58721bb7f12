#include "http/io/socket_transport.h"

#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

namespace spindle::http {
namespace {

namespace net = boost::asio;
using Fault = boost::system::error_code;
/// Without the type-erased executor, whose indirections are visible in profiles of small requests.
using Socket = net::basic_stream_socket<net::ip::tcp, net::io_context::executor_type>;
using Events = Transport::Events;
using Outcome = Transport::Outcome;

Outcome outcomeOf(const Fault& error) {
  if (!error) return Outcome::kOk;
  if (error == net::error::eof || error == net::ssl::error::stream_truncated) return Outcome::kEnd;
  if (error == net::error::operation_aborted) return Outcome::kCancelled;
  return Outcome::kFailed;
}

std::array<net::const_buffer, 3> buffersOf(const Transport::Buffers& buffers) {
  return {net::const_buffer(buffers[0].data(), buffers[0].size()),
          net::const_buffer(buffers[1].data(), buffers[1].size()),
          net::const_buffer(buffers[2].data(), buffers[2].size())};
}

bool hasBytes(Socket& socket) {
  int waiting = 0;
  return socket.is_open() && ::ioctl(socket.native_handle(), FIONREAD, &waiting) == 0 &&
         waiting > 0;
}

void closeQuietly(Socket& socket) {
  Fault ignored;
  socket.close(ignored);
}

void resetConnection(Socket& socket) {
  Fault ignored;
  socket.set_option(net::socket_base::linger(true, 0), ignored);
  socket.close(ignored);
}

class PlainTransport final : public Transport {
 public:
  explicit PlainTransport(Socket socket) : socket_(std::move(socket)) {}

  bool secure() const override { return false; }

  void startHandshake(std::shared_ptr<Events> events) override {
    net::post(socket_.get_executor(),
              [events = std::move(events)] { events->onControl(Outcome::kOk); });
  }

  void startRead(std::shared_ptr<Events> events, char* data, std::size_t size) override {
    socket_.async_read_some(net::mutable_buffer(data, size),
                            [events = std::move(events)](Fault error, std::size_t bytes) {
                              events->onRead(outcomeOf(error), bytes);
                            });
  }

  void startWrite(std::shared_ptr<Events> events, const Buffers& buffers) override {
    socket_.async_write_some(buffersOf(buffers),
                             [events = std::move(events)](Fault error, std::size_t bytes) {
                               events->onWritten(outcomeOf(error), bytes);
                             });
  }

  void startShutdown(std::shared_ptr<Events> events) override {
    Fault error;
    socket_.shutdown(Socket::shutdown_send, error);
    net::post(socket_.get_executor(),
              [events = std::move(events), error] { events->onControl(outcomeOf(error)); });
  }

  std::size_t writeNow(const Buffers& buffers) override {
    Fault error;
    const std::size_t sent = socket_.write_some(buffersOf(buffers), error);
    return error ? 0 : sent;
  }

  bool readable() const override { return hasBytes(socket_); }

  void cancel() override {
    Fault ignored;
    socket_.cancel(ignored);
  }
  void close() override { closeQuietly(socket_); }
  void abort() override { resetConnection(socket_); }

 private:
  mutable Socket socket_;
};

class TlsTransport final : public Transport {
 public:
  TlsTransport(Socket socket, net::ssl::context& context) : stream_(std::move(socket), context) {}

  bool secure() const override { return true; }

  void startHandshake(std::shared_ptr<Events> events) override {
    stream_.async_handshake(
        net::ssl::stream_base::server,
        [events = std::move(events)](Fault error) { events->onControl(outcomeOf(error)); });
  }

  void startRead(std::shared_ptr<Events> events, char* data, std::size_t size) override {
    auto done = [events = std::move(events)](Fault error, std::size_t bytes) {
      events->onRead(outcomeOf(error), bytes);
    };
    const net::mutable_buffer space(data, size);
    if (raw_) {
      stream_.next_layer().async_read_some(space, std::move(done));
    } else {
      stream_.async_read_some(space, std::move(done));
    }
  }

  void startWrite(std::shared_ptr<Events> events, const Buffers& buffers) override {
    stream_.async_write_some(buffersOf(buffers),
                             [events = std::move(events)](Fault error, std::size_t bytes) {
                               events->onWritten(outcomeOf(error), bytes);
                             });
  }

  void startShutdown(std::shared_ptr<Events> events) override {
    stream_.async_shutdown([this, events = std::move(events)](Fault error) {
      raw_ = true;
      Fault ignored;
      stream_.next_layer().shutdown(Socket::shutdown_send, ignored);
      events->onControl(outcomeOf(error));
    });
  }

  std::size_t writeNow(const Buffers& /*pieces*/) override { return 0; }

  bool readable() const override {
    return SSL_pending(stream_.native_handle()) > 0 || hasBytes(stream_.next_layer());
  }

  void cancel() override {
    Fault ignored;
    stream_.next_layer().cancel(ignored);
  }
  void close() override { closeQuietly(stream_.next_layer()); }
  void abort() override { resetConnection(stream_.next_layer()); }

 private:
  mutable net::ssl::stream<Socket> stream_;
  bool raw_ = false;
};

}  // namespace

std::unique_ptr<Transport> makeSocketTransport(net::io_context& io,
                                               int descriptor,
                                               bool ipv6,
                                               net::ssl::context* tls) {
  Socket socket(io.get_executor());
  Fault error;
  socket.assign(ipv6 ? net::ip::tcp::v6() : net::ip::tcp::v4(), descriptor, error);
  if (error) {
    ::close(descriptor);
    return nullptr;
  }
  socket.set_option(net::ip::tcp::no_delay(true), error);
  socket.non_blocking(true, error);
  if (tls == nullptr) return std::make_unique<PlainTransport>(std::move(socket));
  return std::make_unique<TlsTransport>(std::move(socket), *tls);
}

}  // namespace spindle::http
