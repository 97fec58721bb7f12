#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace spindle::transfer {

/// Tells a person how far something has come. One thread.
class Progress {
 public:
  virtual ~Progress() = default;

  /// Before all else. `total` is empty when nobody knows.
  virtual void begin(std::int64_t done, std::optional<std::int64_t> total) = 0;
  /// So many calls have been dealt with, in all.
  virtual void reach(std::int64_t done) = 0;
  /// A line worth reading by itself.
  virtual void say(std::string_view line) = 0;
};

}  // namespace spindle::transfer
