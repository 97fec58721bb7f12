#pragma once

namespace spindle {

/// A scope in which the current thread must not wait for a disk, a database or another machine.
/// Blocking functions call forbids() first and fail if it returns true. Code that usually works
/// from memory can thus be tried on a thread that must not block, and repeated on another thread
/// when it needs to block.
class NoBlocking {
 public:
  NoBlocking() : outer_(current_) { current_ = this; }
  ~NoBlocking() { current_ = outer_; }
  NoBlocking(const NoBlocking&) = delete;
  NoBlocking& operator=(const NoBlocking&) = delete;

  /// Returns true if the caller must not block, and records that it tried to.
  static bool forbids() {
    if (current_ == nullptr) return false;
    current_->was_needed_ = true;
    return true;
  }

  /// Returns true if a function failed because it had to block; the result must then be discarded.
  bool wasNeeded() const { return was_needed_; }

 private:
  static inline thread_local NoBlocking* current_ = nullptr;
  NoBlocking* const outer_;
  bool was_needed_ = false;
};

}  // namespace spindle
