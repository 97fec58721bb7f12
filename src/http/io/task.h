#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace spindle::http {

// NOLINTBEGIN(readability-identifier-naming): C++ prescribes the names of coroutine functions

/// A lazy coroutine: starts when it is awaited and returns its result to the awaiting coroutine. It
/// never changes threads by itself: the thread that notifies its Signal resumes it.
///
/// Deliberately smaller than asio::awaitable: an idle connection needs one frame, and files with
/// protocol logic compile without Asio.
template <class T>
class [[nodiscard]] Task;

namespace detail {

class TaskPromiseBase {
 public:
  std::suspend_always initial_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { failure_ = std::current_exception(); }

  struct BackToCaller {
    BackToCaller() noexcept = default;
    bool await_ready() noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> done) noexcept {
      return done.promise().caller;
    }
    void await_resume() noexcept {}
  };
  BackToCaller final_suspend() noexcept { return {}; }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

  std::coroutine_handle<> caller;

 private:
  std::exception_ptr failure_;
};

template <class T>
class TaskPromise final : public TaskPromiseBase {
 public:
  Task<T> get_return_object();
  void return_value(T value) { value_.emplace(std::move(value)); }
  T take() {
    rethrow();
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
};

template <>
class TaskPromise<void> final : public TaskPromiseBase {
 public:
  Task<void> get_return_object();
  void return_void() noexcept {}
  void take() const { rethrow(); }
};

}  // namespace detail

template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::TaskPromise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
    handle_.promise().caller = caller;
    return handle_;
  }
  T await_resume() { return handle_.promise().take(); }

 private:
  Handle handle_;
};

template <class T>
Task<T> detail::TaskPromise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<TaskPromise<T>>::from_promise(*this));
}
inline Task<void> detail::TaskPromise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<TaskPromise<void>>::from_promise(*this));
}

/// A coroutine that is not awaited: starts immediately and destroys itself at its end. Its body
/// must not throw.
class Detached {
 public:
  class promise_type {
   public:
    Detached get_return_object() noexcept { return Detached(); }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    [[noreturn]] void unhandled_exception() noexcept { std::terminate(); }
  };
};

/// Wakes one waiting coroutine. Works like a condition variable, on a single thread:
///   while (!done_) co_await changed_.wait();
class Signal {
 public:
  class Awaiter {
   public:
    explicit Awaiter(Signal& signal) noexcept : signal_(signal) {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) noexcept { signal_.waiter_ = waiter; }
    void await_resume() const noexcept {}

   private:
    Signal& signal_;
  };

  Awaiter wait() noexcept { return Awaiter(*this); }

  /// Runs the waiting coroutine, if any, until it waits again.
  void notify() {
    if (waiter_) std::exchange(waiter_, nullptr).resume();
  }

 private:
  std::coroutine_handle<> waiter_;
};

// NOLINTEND(readability-identifier-naming)

}  // namespace spindle::http
