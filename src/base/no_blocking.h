#pragma once

namespace spindle {

/// While one lives, nothing on its thread may wait for a disk, a database or another machine:
/// whoever is about to asks forbids() first, and fails instead. So code that mostly answers from
/// memory can be tried on a thread that must not block, and again on another when it has to.
class NoBlocking {
 public:
  NoBlocking() : outer_(current_) { current_ = this; }
  ~NoBlocking() { current_ = outer_; }
  NoBlocking(const NoBlocking&) = delete;
  NoBlocking& operator=(const NoBlocking&) = delete;

  /// True where the caller must not wait; that it wanted to is noted.
  static bool forbids() {
    if (current_ == nullptr) return false;
    current_->was_needed_ = true;
    return true;
  }

  /// Somebody had to wait, and failed: whatever came of it does not count.
  bool wasNeeded() const { return was_needed_; }

 private:
  static inline thread_local NoBlocking* current_ = nullptr;
  NoBlocking* const outer_;
  bool was_needed_ = false;
};

}  // namespace spindle
