#include "base/process/child_process.h"

#include <csignal>
#include <cstdlib>
#include <future>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/core/log.h"

namespace spindle {
namespace {

using Lines = std::vector<std::string>;

/// A program that a test runs, and how it ended.
class Child {
 public:
  explicit Child(const ChildCommand& command) {
    Result<std::unique_ptr<ChildProcess>> started =
        ChildProcess::start(command, [this](const ChildExit& exit) { ended_.set_value(exit); });
    if (started) process_ = *std::move(started);
  }
  ChildProcess* operator->() { return process_.get(); }
  bool isStarted() const { return process_ != nullptr; }
  ChildExit end() { return ended_.get_future().get(); }

 private:
  std::promise<ChildExit> ended_;
  std::unique_ptr<ChildProcess> process_;
};

ChildCommand shell(const std::string& script) {
  return {"/bin/sh", {"-c", script}, {}, [](const std::string&) {}};
}

TEST(ChildProcess, ReportsTheExitCode) {
  Child child(shell("exit 3"));
  const ChildExit end = child.end();
  EXPECT_EQ(end.code, 3);
  EXPECT_EQ(end.signal, 0);
  EXPECT_EQ(end.last_words, "");
}

TEST(ChildProcess, ReportsTheSignal) {
  Child child(shell("kill -ABRT $$"));
  const ChildExit end = child.end();
  EXPECT_EQ(end.code, 0);
  EXPECT_EQ(end.signal, SIGABRT);
}

TEST(ChildProcess, PassesOnItsOutput) {
  Lines lines;
  ChildCommand command = shell("echo first >&2; printf last >&2");
  command.on_line = [&lines](const std::string& line) { lines.push_back(line); };
  Child child(command);
  EXPECT_EQ(child.end().last_words, "last");
  EXPECT_EQ(lines, (Lines{"first", "last"}));
}

TEST(ChildProcess, GetsAdditionalVariables) {
  ChildCommand command = shell("echo \"$KEY\" >&2");
  command.variables = {"KEY=a key"};
  Child child(command);
  EXPECT_EQ(child.end().last_words, "a key");
}

TEST(ChildLog, KeepsTheLevelOfALine) {
  configureLogging(LogLevel::kInfo, LogFormat::kJson);
  Lines lines;
  setLogSinkForTest([&](std::string_view line) { lines.emplace_back(line); });
  constexpr Logger kLog("inference");
  relayLogLine(kLog, "engine_output", {{"model", "tiny"}}, "first");
  relayLogLine(kLog, "engine_output", {}, R"({"level":"warning"})");
  relayLogLine(kLog, "engine_output", {}, R"({"level":"error"})");
  setLogSinkForTest(nullptr);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_NE(lines[0].find(R"("event":"engine_output")"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find(R"("level":"info")"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find(R"("line":"first")"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find(R"("model":"tiny")"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find(R"("level":"warning")"), std::string::npos) << lines[1];
  EXPECT_NE(lines[2].find(R"("level":"error")"), std::string::npos) << lines[2];
}

TEST(ChildProcess, Terminates) {
  Child child(shell("read x"));
  child->terminate();
  EXPECT_EQ(child.end().signal, SIGTERM);
}

TEST(ChildProcess, Kills) {
  Child child(shell("read x"));
  child->kill();
  EXPECT_EQ(child.end().signal, SIGKILL);
}

TEST(ChildProcess, DestructorKillsTheProcess) {
  std::promise<ChildExit> ended;
  {
    Result<std::unique_ptr<ChildProcess>> started = ChildProcess::start(
        shell("read x"), [&ended](const ChildExit& exit) { ended.set_value(exit); });
    ASSERT_TRUE(started);
  }
  EXPECT_EQ(ended.get_future().get().signal, SIGKILL);
}

TEST(ChildProcess, SendsNoSignalAfterTheExit) {
  Child child(shell("exit 0"));
  child.end();
  child->terminate();
  child->kill();
}

TEST(ChildProcess, InheritsNoDescriptors) {
  const int kept = ::open("/dev/null", O_RDONLY);  // NOLINT: not closed on exec, as of a library
  ASSERT_GE(kept, 3);
  Child child(shell("ls /proc/self/fd | wc -l >&2"));
  // Its three, and the one that `ls` opens.
  EXPECT_EQ(std::stoi(child.end().last_words), 4);
  ::close(kept);
}

TEST(ChildProcess, InheritsNoSecrets) {
  ::setenv("SPINDLE_ADMIN_API_KEY", "not-for-children", 1);  // NOLINT(concurrency-mt-unsafe)
  Child child(shell("echo \"key=$SPINDLE_ADMIN_API_KEY path=${PATH:+set}\" >&2"));
  EXPECT_EQ(child.end().last_words, "key= path=set");
  ::unsetenv("SPINDLE_ADMIN_API_KEY");  // NOLINT(concurrency-mt-unsafe)
}

TEST(ChildProcess, ResetsBlockedSignals) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  {
    Child child(shell("kill -TERM $$; exit 0"));
    EXPECT_EQ(child.end().signal, SIGTERM);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(ChildProcess, ReportsAProgramThatCannotBeStarted) {
  const Result<std::unique_ptr<ChildProcess>> started =
      ChildProcess::start({"/no/such/engine", {}, {}, nullptr}, [](const ChildExit&) { FAIL(); });
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(started.error().message(), "The program cannot be started: No such file or directory");
}

TEST(LineSplitter, JoinsChunksToLines) {
  Lines lines;
  LineSplitter splitter([&lines](const std::string& line) { lines.push_back(line); });
  splitter.add("one\ntw");
  splitter.add("o\r\n\n\nthr");
  splitter.finish();
  EXPECT_EQ(lines, (Lines{"one", "two", "thr"}));
  EXPECT_EQ(splitter.last(), "thr");
}

TEST(LineSplitter, TruncatesLongLines) {
  Lines lines;
  LineSplitter splitter([&lines](const std::string& line) { lines.push_back(line); });
  splitter.add(std::string(10'000, 'x') + "\nnext\n");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].size(), LineSplitter::kLongest);
  EXPECT_EQ(lines[1], "next");
}

}  // namespace
}  // namespace spindle
