#include "http/io/io_thread.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace spindle::http {

namespace net = boost::asio;

namespace {

constexpr std::chrono::milliseconds kSweepWhileDraining{20};
constexpr std::size_t kManyConnections = 500;

}  // namespace

struct IoThread::Loop {
  explicit Loop(std::chrono::milliseconds every) : sweep_every(every) {}

  std::chrono::milliseconds sweep_every;
  const std::shared_ptr<net::io_context> owned = std::make_shared<net::io_context>(1);
  net::io_context& context = *owned;
  std::optional<net::executor_work_guard<net::io_context::executor_type>> work{
      net::make_work_guard(context)};
  net::steady_timer timer{context};
  std::thread thread;
};

IoThread::IoThread(MetricRegistry& metrics,
                   std::chrono::milliseconds sweep_every,
                   std::function<void()> on_connections_released)
    : metrics_(metrics),
      on_connections_released_(std::move(on_connections_released)),
      loop_(std::make_unique<Loop>(sweep_every)) {}

IoThread::~IoThread() { stop(); }

void IoThread::start() {
  post([this] { sweep(); });
  loop_->thread = std::thread([this] { loop_->context.run(); });
}

void IoThread::stop() {
  if (!loop_->thread.joinable()) return;
  post([this] {
    loop_->work.reset();
    loop_->timer.cancel();
  });
  loop_->thread.join();
}

void IoThread::post(std::function<void()> what) { net::post(loop_->context, std::move(what)); }

void IoThread::complete(Completion& completion) {
  Completion* head = completions_.load(std::memory_order_relaxed);
  do {
    completion.next_ = head;
  } while (!completions_.compare_exchange_weak(head, &completion, std::memory_order_acq_rel,
                                               std::memory_order_relaxed));
  // Only the caller that found the list empty wakes the thread.
  if (head == nullptr) net::post(loop_->context, [this] { runCompletions(); });
}

void IoThread::runCompletions() {
  Completion* newest = completions_.exchange(nullptr, std::memory_order_acq_rel);
  Completion* oldest = nullptr;
  while (newest != nullptr) {
    Completion* next = std::exchange(newest->next_, oldest);
    oldest = std::exchange(newest, next);
  }
  while (oldest != nullptr) {
    Completion* current = std::exchange(oldest, oldest->next_);
    current->completed();
  }
}

net::io_context& IoThread::context() { return loop_->context; }

std::shared_ptr<net::io_context> IoThread::sharedContext() { return loop_->owned; }

void IoThread::add(Connection& connection) {
  connection.after_ = first_;
  if (first_ != nullptr) first_->before_ = &connection;
  first_ = &connection;
}

void IoThread::remove(Connection& connection) {
  if (next_to_visit_ == &connection) next_to_visit_ = connection.after_;
  if (connection.before_ != nullptr) connection.before_->after_ = connection.after_;
  if (connection.after_ != nullptr) connection.after_->before_ = connection.before_;
  if (first_ == &connection) first_ = connection.after_;
  connection.before_ = connection.after_ = nullptr;
  ++removed_;
}

void IoThread::sweep() {
  const Time now = std::chrono::steady_clock::now();
  for (Connection* each = first_; each != nullptr; each = next_to_visit_) {
    next_to_visit_ = each->after_;
    if (each->deadline_ > now) continue;
    each->deadline_ = Time::max();
    each->expired();
  }
  if (removed_ >= kManyConnections && removed_ == std::exchange(removed_at_last_sweep_, removed_)) {
    removed_ = 0;
    on_connections_released_();
  }
  if (!loop_->work) return;
  loop_->timer.expires_after(loop_->sweep_every);
  loop_->timer.async_wait([this](const boost::system::error_code& error) {
    if (!error) sweep();
  });
}

void IoThread::drainAll() {
  loop_->sweep_every = std::min(loop_->sweep_every, kSweepWhileDraining);
  loop_->timer.cancel();
  sweep();
  for (Connection* each = first_; each != nullptr; each = next_to_visit_) {
    next_to_visit_ = each->after_;
    each->drain();
  }
}

std::size_t IoThread::cutAll() {
  std::size_t cut = 0;
  for (Connection* each = first_; each != nullptr; each = next_to_visit_) {
    next_to_visit_ = each->after_;
    if (each->cut()) ++cut;
  }
  return cut;
}

}  // namespace spindle::http
