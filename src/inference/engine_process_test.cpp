#include "inference/engine_process.h"

#include <csignal>
#include <cstdlib>
#include <future>
#include <mutex>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/log.h"

namespace spindle::inference {
namespace {

using Lines = std::vector<std::string>;

/// A program that a test runs, and how it ended.
class Child {
 public:
  explicit Child(const EngineCommand& command) {
    Result<std::unique_ptr<EngineProcess>> started =
        EngineProcess::start(command, [this](const EngineExit& exit) { ended_.set_value(exit); });
    if (started) process_ = *std::move(started);
  }
  EngineProcess* operator->() { return process_.get(); }
  bool isStarted() const { return process_ != nullptr; }
  EngineExit end() { return ended_.get_future().get(); }

 private:
  std::promise<EngineExit> ended_;
  std::unique_ptr<EngineProcess> process_;
};

EngineCommand shell(const std::string& script) { return {"/bin/sh", {"-c", script}, "tiny"}; }

TEST(EngineProcess, TellsTheCodeOfOneThatEndsByItself) {
  Child child(shell("exit 3"));
  const EngineExit end = child.end();
  EXPECT_EQ(end.code, 3);
  EXPECT_EQ(end.signal, 0);
  EXPECT_EQ(end.last_words, "");
}

TEST(EngineProcess, TellsTheSignalThatEndedIt) {
  Child child(shell("kill -ABRT $$"));
  const EngineExit end = child.end();
  EXPECT_EQ(end.code, 0);
  EXPECT_EQ(end.signal, SIGABRT);
}

TEST(EngineProcess, PutsWhatItWritesIntoTheLog) {
  configureLogging(LogLevel::kInfo, LogFormat::kJson);
  std::mutex mutex;
  Lines lines;
  setLogSinkForTest([&](std::string_view line) {
    const std::lock_guard lock(mutex);
    lines.emplace_back(line);
  });
  Child child(shell("echo first >&2; echo '{\"level\":\"warning\"}' >&2; printf last >&2"));
  EXPECT_EQ(child.end().last_words, "last");
  setLogSinkForTest(nullptr);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_NE(lines[0].find(R"("event":"engine_output")"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find(R"("level":"info")"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find(R"("line":"first")"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find(R"("model":"tiny")"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find(R"("level":"warning")"), std::string::npos) << lines[1];
}

TEST(EngineProcess, AsksItToEnd) {
  Child child(shell("read x"));
  child->terminate();
  EXPECT_EQ(child.end().signal, SIGTERM);
}

TEST(EngineProcess, EndsItByForce) {
  Child child(shell("read x"));
  child->kill();
  EXPECT_EQ(child.end().signal, SIGKILL);
}

TEST(EngineProcess, TakesItAlongWhenItGoes) {
  std::promise<EngineExit> ended;
  {
    Result<std::unique_ptr<EngineProcess>> started = EngineProcess::start(
        shell("read x"), [&ended](const EngineExit& exit) { ended.set_value(exit); });
    ASSERT_TRUE(started);
  }
  EXPECT_EQ(ended.get_future().get().signal, SIGKILL);
}

TEST(EngineProcess, SignalsNobodyOnceItIsGone) {
  Child child(shell("exit 0"));
  child.end();
  child->terminate();
  child->kill();
}

TEST(EngineProcess, PassesOnNoDescriptorsOfTheServer) {
  const int kept = ::open("/dev/null", O_RDONLY);  // NOLINT: not closed on exec, as of a library
  ASSERT_GE(kept, 3);
  Child child(shell("ls /proc/self/fd | wc -l >&2"));
  // Its three, and the one with which `ls` looks.
  EXPECT_EQ(std::stoi(child.end().last_words), 4);
  ::close(kept);
}

TEST(EngineProcess, PassesOnNoSecretsOfTheServer) {
  ::setenv("SPINDLE_ADMIN_API_KEY", "not-for-engines", 1);  // NOLINT(concurrency-mt-unsafe)
  Child child(shell("echo \"key=$SPINDLE_ADMIN_API_KEY path=${PATH:+set}\" >&2"));
  EXPECT_EQ(child.end().last_words, "key= path=set");
  ::unsetenv("SPINDLE_ADMIN_API_KEY");  // NOLINT(concurrency-mt-unsafe)
}

TEST(EngineProcess, LetsSignalsThroughThatTheServerKeepsBack) {
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

TEST(EngineProcess, SaysWhenAProgramCannotBeStarted) {
  const Result<std::unique_ptr<EngineProcess>> started =
      EngineProcess::start({"/no/such/engine", {}, "tiny"}, [](const EngineExit&) { FAIL(); });
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(started.error().message(), "The engine cannot be started: No such file or directory");
}

TEST(LineSplitter, MakesLinesOfPieces) {
  Lines lines;
  LineSplitter splitter([&lines](const std::string& line) { lines.push_back(line); });
  splitter.add("one\ntw");
  splitter.add("o\r\n\n\nthr");
  splitter.finish();
  EXPECT_EQ(lines, (Lines{"one", "two", "thr"}));
  EXPECT_EQ(splitter.last(), "thr");
}

TEST(LineSplitter, CutsWhatIsTooLong) {
  Lines lines;
  LineSplitter splitter([&lines](const std::string& line) { lines.push_back(line); });
  splitter.add(std::string(10'000, 'x') + "\nnext\n");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].size(), LineSplitter::kLongest);
  EXPECT_EQ(lines[1], "next");
}

}  // namespace
}  // namespace spindle::inference
