#pragma once

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>

#include "transfer/progress.h"

namespace spindle::app {

/// The unit of a progress display.
enum class ProgressUnit { kCalls, kBytes, kRows, kFiles };

/// Formats a size: `7 B`, `1.5 MiB`.
std::string sizeText(std::int64_t bytes);

/// Returns ` 50%  5 of 10 calls  2/s  3 s left`; without a total, only the count. `fresh` of the
/// `done` units were processed in the last `elapsed` seconds.
std::string progressLine(std::int64_t done,
                         const std::optional<std::int64_t>& total,
                         std::int64_t fresh,
                         std::chrono::seconds elapsed,
                         ProgressUnit unit = ProgressUnit::kCalls);
/// Returns `[#####     ]`; nothing without a total.
std::string progressBar(std::int64_t done, const std::optional<std::int64_t>& total);

/// Draws a progress bar on a terminal; elsewhere writes a line every few seconds.
class ConsoleProgress final : public transfer::Progress {
 public:
  /// `out` must outlive this object.
  ConsoleProgress(std::FILE* out, bool is_terminal, ProgressUnit unit = ProgressUnit::kCalls)
      : out_(out), is_terminal_(is_terminal), unit_(unit) {}
  ~ConsoleProgress() override;
  ConsoleProgress(const ConsoleProgress&) = delete;
  ConsoleProgress& operator=(const ConsoleProgress&) = delete;

  void begin(std::int64_t done, std::optional<std::int64_t> total) override;
  void update(std::int64_t done) override;
  void printLine(std::string_view line) override;

 private:
  using Clock = std::chrono::steady_clock;

  void draw();
  void wipe();

  std::FILE* const out_;
  const bool is_terminal_;
  const ProgressUnit unit_;
  std::int64_t begun_at_ = 0;
  std::int64_t done_ = 0;
  std::optional<std::int64_t> total_;
  Clock::time_point started_;
  Clock::time_point drawn_;
  bool on_screen_ = false;
};

}  // namespace spindle::app
