#include "storage/database/postgres_listener.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <libpq-fe.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "storage/database/log.h"
#include "storage/database/postgres_connection.h"

namespace spindle::storage {
namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kProofInterval{500};
constexpr milliseconds kProofLimit{5'000};  // a connection without an answer for so long is lost
constexpr milliseconds kFirstPause{100};
constexpr milliseconds kLongestPause{2'000};

std::int64_t ticks(SteadyClock::time_point time) { return time.time_since_epoch().count(); }

struct CloseConnection {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
struct FreeMessage {
  void operator()(PGnotify* message) const { PQfreemem(message); }
};
using ResultPtr = std::unique_ptr<PGresult, ClearResult>;

}  // namespace

/// One connection that listens.
class PostgresListener::Session {
 public:
  Session(const Secret& connection, const Callbacks& callbacks)
      : callbacks_(callbacks), db_(PQconnectdb(withTimeouts(connection.reveal()).c_str())) {
    if (PQstatus(db_.get()) == CONNECTION_OK) {
      PQsetNoticeProcessor(
          db_.get(), [](void*, const char*) {}, nullptr);
    }
  }

  bool listen() {
    if (PQstatus(db_.get()) != CONNECTION_OK) return false;
    const ResultPtr channel(PQexec(db_.get(), "SELECT 'spindle_' || md5(current_schema())"));
    if (PQresultStatus(channel.get()) != PGRES_TUPLES_OK || PQgetisnull(channel.get(), 0, 0) != 0) {
      return false;
    }
    // Hexadecimal digits only.
    const std::string command = std::string("LISTEN ") + PQgetvalue(channel.get(), 0, 0);
    const ResultPtr listening(PQexec(db_.get(), command.c_str()));
    return PQresultStatus(listening.get()) == PGRES_COMMAND_OK;
  }

  /// Receives messages until the connection is lost or `stop` is requested. Stores in `proven` the
  /// time of every query that was answered.
  void follow(const std::stop_token& stop, int wake, std::atomic<std::int64_t>& proven) {
    SteadyClock::time_point asked_at = SteadyClock::now();
    if (!ask()) return;
    bool waiting = true;  // for the answer
    while (!stop.stop_requested()) {
      const SteadyClock::time_point due = asked_at + (waiting ? kProofLimit : kProofInterval);
      const SteadyClock::time_point now = SteadyClock::now();
      if (now >= due) {
        if (waiting || !ask()) return;
        asked_at = now;
        waiting = true;
        continue;
      }
      wait(wake, std::chrono::ceil<milliseconds>(due - now));
      if (PQconsumeInput(db_.get()) == 0) return;
      const bool answered = waiting && isAnswered();
      deliver();
      if (answered) {
        waiting = false;
        proven.store(ticks(asked_at), std::memory_order_release);
      }
    }
  }

  std::string problem() const { return PQerrorMessage(db_.get()); }

 private:
  bool ask() { return PQsendQuery(db_.get(), "SELECT 1") == 1; }

  /// Returns true when the answer is complete.
  bool isAnswered() {
    while (PQisBusy(db_.get()) == 0) {
      const ResultPtr result(PQgetResult(db_.get()));
      if (result == nullptr) return true;
    }
    return false;
  }

  void deliver() {
    while (const auto message = std::unique_ptr<PGnotify, FreeMessage>(PQnotifies(db_.get()))) {
      const std::string_view text(message->extra);
      const std::size_t space = std::min(text.find(' '), text.size());
      callbacks_.received(text.substr(0, space), text.substr(std::min(space + 1, text.size())));
    }
  }

  void wait(int wake, milliseconds limit) const {
    pollfd descriptors[] = {{PQsocket(db_.get()), POLLIN, 0}, {wake, POLLIN, 0}};
    ::poll(descriptors, 2, static_cast<int>(limit.count()));
  }

  const Callbacks& callbacks_;
  const std::unique_ptr<PGconn, CloseConnection> db_;
};

PostgresListener::PostgresListener(Secret connection, Callbacks callbacks)
    : connection_(std::move(connection)),
      callbacks_(std::move(callbacks)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (wake_ < 0) throw std::runtime_error("cannot create an event descriptor");
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

PostgresListener::~PostgresListener() {
  stop();
  ::close(wake_);
}

void PostgresListener::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  ::eventfd_write(wake_, 1);
  thread_.join();
}

bool PostgresListener::isCurrent() const {
  const std::int64_t proven = proven_.load(std::memory_order_acquire);
  return proven != 0 && ticks(SteadyClock::now() - kMaxDelay) < proven;
}

void PostgresListener::pause(const std::stop_token& stop, milliseconds time) const {
  pollfd descriptor{wake_, POLLIN, 0};
  if (!stop.stop_requested()) ::poll(&descriptor, 1, static_cast<int>(time.count()));
}

void PostgresListener::run(const std::stop_token& stop) {
  milliseconds delay = kFirstPause;
  while (!stop.stop_requested()) {
    Session session(connection_, callbacks_);
    if (session.listen()) {
      delay = kFirstPause;
      callbacks_.connected();
      session.follow(stop, wake_, proven_);
      proven_.store(0, std::memory_order_release);
      if (stop.stop_requested()) return;
    }
    // libpq's message names host, port and user, never the password.
    kLog.warning("listener_disconnected", {{"why", session.problem()}});
    pause(stop, delay);
    delay = std::min(delay * 2, kLongestPause);
  }
}

}  // namespace spindle::storage
