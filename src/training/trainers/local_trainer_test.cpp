#include "training/trainers/local_trainer.h"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

namespace spindle::training {
namespace {

using std::chrono::milliseconds;

constexpr LocalTrainer::Pauses kQuick = {.poll = milliseconds(2),
                                         .first_restart = milliseconds(1),
                                         .longest_restart = milliseconds(4),
                                         .stable_after = milliseconds(60'000),
                                         .stop = milliseconds(60'000)};

LocalTrainerCommand shell(const std::string& script) { return {"/bin/sh", {"-c", script}, {}}; }

/// Blocks until a condition holds; the test timeout ends an endless wait.
template <class Condition>
void await(const Condition& holds) {
  while (!holds()) std::this_thread::yield();
}

bool isAlive(int pid) { return ::kill(pid, 0) == 0; }

/// Starts a local trainer, waits until it has asked for work four times, and returns its process.
int pidAfterAsking(const LocalTrainerCommand& command, bool has_work) {
  std::atomic<int> asked = 0;
  LocalTrainer trainer(
      command,
      [&asked, has_work] {
        ++asked;
        return has_work;
      },
      kQuick);
  trainer.start();
  await([&] { return asked > 3; });
  return trainer.pid();
}

TEST(LocalTrainer, IsNotStartedWithoutWork) {
  EXPECT_EQ(pidAfterAsking(shell("read x"), false), 0);
}

TEST(LocalTrainer, StartsForWorkAndStopsWithTheServer) {
  std::atomic<bool> wanted = false;
  LocalTrainer trainer(
      shell("read x"), [&wanted] { return wanted.load(); }, kQuick);
  trainer.start();
  wanted = true;
  trainer.wake();
  int pid = 0;
  await([&] { return (pid = trainer.pid()) != 0; });
  EXPECT_TRUE(isAlive(pid));
  trainer.stop();
  EXPECT_FALSE(isAlive(pid));
}

TEST(LocalTrainer, RestartsAfterACrash) {
  std::atomic<int> asked = 0;
  LocalTrainer trainer(
      shell("read x"), [&asked] { return asked++ == 0; }, kQuick);
  trainer.start();
  int before = 0;
  for (int round = 0; round < 4; ++round) {
    int pid = 0;
    await([&] {
      pid = trainer.pid();
      return pid != 0 && pid != before;
    });
    ::kill(pid, SIGKILL);
    before = pid;
  }
}

TEST(LocalTrainer, IsNotRestartedAfterNormalExitWithoutWork) {
  std::atomic<int> asked = 0;
  const std::string folder = ::testing::TempDir() + "local_trainer_lives";
  std::filesystem::remove(folder);
  LocalTrainer trainer(
      shell("echo life >> " + folder),
      [&asked] {
        ++asked;
        return asked == 1 || asked == 10;
      },
      kQuick);
  trainer.start();
  await([&] { return asked > 20; });
  trainer.stop();
  std::ifstream lives(folder);
  std::string line;
  int count = 0;
  while (std::getline(lives, line)) ++count;
  EXPECT_EQ(count, 2);
}

TEST(LocalTrainer, HasTimeToExit) {
  const std::string file = ::testing::TempDir() + "local_trainer_handed_back";
  std::filesystem::remove(file);
  // Use short commands: some shells miss a signal that arrives just before `read` waits.
  LocalTrainer trainer(
      shell("trap 'echo done > " + file + "; exit 0' TERM; echo > " + file +
            ".ready; while kill -0 $PPID; do sleep 0.01; done"),
      [] { return true; }, kQuick);
  std::filesystem::remove(file + ".ready");
  trainer.start();
  await([&] { return std::filesystem::exists(file + ".ready"); });
  trainer.stop();
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST(LocalTrainer, SurvivesAMissingProgram) {
  EXPECT_EQ(pidAfterAsking({"/no/such/trainer", {}, {}}, true), 0);
}

}  // namespace
}  // namespace spindle::training
