#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace spindle::transfer {

/// Reports the progress of a command to a person. For one thread at a time.
class Progress {
 public:
  virtual ~Progress() = default;

  /// Called first. `total` is empty when it is unknown.
  virtual void begin(std::int64_t done, std::optional<std::int64_t> total) = 0;
  /// Reports how many calls or bytes are done in total.
  virtual void update(std::int64_t done) = 0;
  /// Prints a message on its own line.
  virtual void printLine(std::string_view line) = 0;
};

}  // namespace spindle::transfer
