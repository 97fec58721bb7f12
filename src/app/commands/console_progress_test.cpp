#include "app/commands/console_progress.h"

#include <gtest/gtest.h>

namespace spindle::app {
namespace {

using std::chrono::seconds;

/// Returns the output of a ConsoleProgress while `work` runs.
template <class Work>
std::string written(bool is_terminal, const Work& work) {
  std::FILE* file = std::tmpfile();
  {
    ConsoleProgress progress(file, is_terminal);
    work(progress);
  }
  std::rewind(file);
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

TEST(ProgressLine, ShowsProgressRateAndTimeLeft) {
  EXPECT_EQ(progressLine(0, 10, 0, seconds(0)), "  0%  0 of 10 calls");
  EXPECT_EQ(progressLine(500, 1000, 400, seconds(4)), " 50%  500 of 1000 calls  100/s  5 s left");
  EXPECT_EQ(progressLine(10, 10, 10, seconds(1)), "100%  10 of 10 calls  10/s");
}

TEST(ProgressLine, CountsBytesToo) {
  EXPECT_EQ(progressLine(512, 2048, 512, seconds(1), ProgressUnit::kBytes),
            " 25%  512 B of 2.0 KiB  512 B/s  3 s left");
  EXPECT_EQ(sizeText(0), "0 B");
  EXPECT_EQ(sizeText(1536), "1.5 KiB");
  EXPECT_EQ(sizeText(3LL << 30), "3.0 GiB");
}

TEST(ProgressLine, HandlesMissingAndExceededTotals) {
  EXPECT_EQ(progressLine(7, std::nullopt, 7, seconds(0)), "7 calls");
  EXPECT_EQ(progressLine(0, 0, 0, seconds(3)), "0 calls");
  EXPECT_EQ(progressLine(12, 10, 0, seconds(3)), "100%  12 of 10 calls");
}

TEST(ProgressBar, FillsFromLeftToRight) {
  EXPECT_EQ(progressBar(0, 10), "[" + std::string(30, ' ') + "] ");
  EXPECT_EQ(progressBar(5, 10), "[" + std::string(15, '#') + std::string(15, ' ') + "] ");
  EXPECT_EQ(progressBar(12, 10), "[" + std::string(30, '#') + "] ");
  EXPECT_EQ(progressBar(5, std::nullopt), "");
}

TEST(ConsoleProgress, WritesPlainLinesWithoutATerminal) {
  EXPECT_EQ(written(false,
                    [](ConsoleProgress& progress) {
                      progress.begin(0, 10);
                      progress.update(5);
                      progress.printLine("half done");
                      progress.update(10);
                    }),
            "half done\n");
}

TEST(ConsoleProgress, DrawsTheBarBelowMessagesAndRemovesItAtTheEnd) {
  const std::string bar = progressBar(0, 10) + progressLine(0, 10, 0, seconds(0));
  EXPECT_EQ(written(true,
                    [](ConsoleProgress& progress) {
                      progress.begin(0, 10);
                      progress.printLine("half done");
                    }),
            bar + "\r\x1b[Khalf done\n" + bar + "\r\x1b[K");
}

}  // namespace
}  // namespace spindle::app
