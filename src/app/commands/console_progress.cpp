#include "app/commands/console_progress.h"

#include <algorithm>

#include <fmt/format.h>

namespace spindle::app {
namespace {

constexpr std::int64_t kBarWidth = 30;
constexpr std::chrono::milliseconds kRedrawInterval{100};
constexpr std::chrono::seconds kLineInterval{5};

std::string amount(std::int64_t number, ProgressUnit unit) {
  return unit == ProgressUnit::kBytes ? sizeText(number) : std::to_string(number);
}

/// Returns the noun after a number.
const char* nounOf(ProgressUnit unit) {
  switch (unit) {
    case ProgressUnit::kCalls:
      return " calls";
    case ProgressUnit::kRows:
      return " rows";
    case ProgressUnit::kFiles:
      return " files";
    case ProgressUnit::kBytes:
      return "";
  }
  return "";
}

}  // namespace

std::string sizeText(std::int64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto size = static_cast<double>(bytes);
  const char* unit = "B";
  for (const char* next : {"KiB", "MiB", "GiB", "TiB"}) {
    if (size < 1024) break;
    size /= 1024;
    unit = next;
  }
  return fmt::format("{:.1f} {}", size, unit);
}

std::string progressLine(std::int64_t done,
                         const std::optional<std::int64_t>& total,
                         std::int64_t fresh,
                         std::chrono::seconds elapsed,
                         ProgressUnit unit) {
  std::string line;
  const char* const noun = nounOf(unit);
  if (total && *total > 0) {
    const std::int64_t percent = std::min(done, *total) * 100 / *total;
    line =
        fmt::format("{:3}%  {} of {}{}", percent, amount(done, unit), amount(*total, unit), noun);
  } else {
    line = fmt::format("{}{}", amount(done, unit), noun);
  }
  if (elapsed.count() == 0 || fresh <= 0) return line;
  const std::int64_t rate = std::max<std::int64_t>(1, fresh / elapsed.count());
  line += fmt::format("  {}/s", amount(rate, unit));
  if (total && *total > done) line += fmt::format("  {} s left", (*total - done) / rate);
  return line;
}

std::string progressBar(std::int64_t done, const std::optional<std::int64_t>& total) {
  if (!total || *total <= 0) return {};
  const auto filled = static_cast<std::size_t>(std::min(done, *total) * kBarWidth / *total);
  return fmt::format("[{:<{}}] ", std::string(filled, '#'), kBarWidth);
}

ConsoleProgress::~ConsoleProgress() { wipe(); }

void ConsoleProgress::begin(std::int64_t done, std::optional<std::int64_t> total) {
  begun_at_ = done;
  done_ = done;
  total_ = total;
  started_ = Clock::now();
  drawn_ = started_;
  if (is_terminal_) draw();
}

void ConsoleProgress::update(std::int64_t done) {
  done_ = done;
  const Clock::duration since = Clock::now() - drawn_;
  if (is_terminal_ ? since >= kRedrawInterval : since >= kLineInterval) draw();
}

void ConsoleProgress::printLine(std::string_view line) {
  wipe();
  std::fwrite(line.data(), 1, line.size(), out_);
  std::fputc('\n', out_);
  if (is_terminal_) draw();
}

void ConsoleProgress::draw() {
  drawn_ = Clock::now();
  const std::string line =
      progressLine(done_, total_, done_ - begun_at_,
                   std::chrono::duration_cast<std::chrono::seconds>(drawn_ - started_), unit_);
  wipe();
  std::fputs(((is_terminal_ ? progressBar(done_, total_) : "") + line).c_str(), out_);
  if (!is_terminal_) std::fputc('\n', out_);
  on_screen_ = is_terminal_;
  std::fflush(out_);
}

void ConsoleProgress::wipe() {
  if (!on_screen_) return;
  std::fputs("\r\x1b[K", out_);
  std::fflush(out_);
  on_screen_ = false;
}

}  // namespace spindle::app
