#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace spindle::http {

/// Buffer of bytes that were read from a socket and not yet consumed. Small while a connection is
/// idle, because a server may have ten thousand idle connections.
class ReadBuffer {
 public:
  static constexpr std::size_t kSmall = 1024;
  static constexpr std::size_t kLarge = 16UL * 1024;

  std::string_view view() const { return {data_.get() + begin_, end_ - begin_}; }
  bool empty() const { return begin_ == end_; }
  std::size_t size() const { return end_ - begin_; }

  /// Returns the capacity that the buffer would have after prepare().
  std::size_t wantedCapacity() const {
    if (empty() ? capacity_ > 0 : end_ < capacity_) return capacity_;
    if (begin_ > 0 && size() < capacity_ / 2) return capacity_;
    return capacity_ == 0 ? kSmall : capacity_ < kLarge ? kLarge : capacity_ * 2;
  }

  /// Provides free space after the bytes and returns its size. Grows a full buffer.
  std::size_t prepare() {
    if (empty()) begin_ = end_ = 0;
    if (end_ < capacity_) return capacity_ - end_;
    if (begin_ > 0 && size() < capacity_ / 2) {
      std::memmove(data_.get(), data_.get() + begin_, size());
    } else {
      const std::size_t wanted = wantedCapacity();
      std::unique_ptr<char[]> larger(new char[wanted]);
      if (!empty()) std::memcpy(larger.get(), data_.get() + begin_, size());
      data_ = std::move(larger);
      capacity_ = wanted;
    }
    end_ -= begin_;
    begin_ = 0;
    return capacity_ - end_;
  }
  /// Returns the start of the free space.
  char* room() { return data_.get() + end_; }
  void commit(std::size_t bytes) { end_ += bytes; }
  void consume(std::size_t bytes) { begin_ += bytes; }
  void clear() { begin_ = end_ = 0; }

  /// Releases the memory if the buffer is empty.
  void shrink() {
    if (!empty() || capacity_ <= kSmall) return;
    data_.reset();
    capacity_ = begin_ = end_ = 0;
  }

 private:
  std::unique_ptr<char[]> data_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace spindle::http
