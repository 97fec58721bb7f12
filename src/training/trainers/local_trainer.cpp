#include "training/trainers/local_trainer.h"

#include <algorithm>
#include <utility>

#include "base/core/log.h"

namespace spindle::training {
namespace {

constexpr Logger kLog("training");

}  // namespace

LocalTrainer::LocalTrainer(LocalTrainerCommand command, std::function<bool()> is_wanted)
    : LocalTrainer(std::move(command), std::move(is_wanted), Pauses()) {}

LocalTrainer::LocalTrainer(LocalTrainerCommand command,
                           std::function<bool()> is_wanted,
                           Pauses pauses)
    : command_(std::move(command)),
      is_wanted_(std::move(is_wanted)),
      pauses_(pauses),
      restart_pause_(pauses.first_restart) {}

LocalTrainer::~LocalTrainer() { stop(); }

void LocalTrainer::start() {
  thread_ = std::thread([this] { run(); });
}

void LocalTrainer::wake() {
  const MutexLock lock(mutex_);
  woken_ = true;
  changed_.notifyAll();
}

void LocalTrainer::stop() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

int LocalTrainer::pid() const {
  const MutexLock lock(mutex_);
  return pid_;
}

void LocalTrainer::run() {
  bool crashed = false;  // the last trainer crashed during a job
  do {
    bool over = false;
    ChildExit exit;
    {
      const MutexLock lock(mutex_);
      over = std::exchange(ended_, false);
      exit = exit_;
    }
    if (over) {
      child_.reset();
      crashed = exit.code != 0 || exit.signal != 0;
      const bool lived = Clock::now() - started_ >= pauses_.stable_after;
      if (lived) restart_pause_ = pauses_.first_restart;
      if (crashed) {
        kLog.warning(
            "trainer_died",
            {{"code", exit.code}, {"signal", exit.signal}, {"last_words", exit.last_words}});
        not_before_ = Clock::now() + restart_pause_;
        restart_pause_ = std::min(2 * restart_pause_, pauses_.longest_restart);
      }
    }
    if (child_ == nullptr && Clock::now() >= not_before_ && (crashed || is_wanted_())) {
      crashed = false;
      startChild();
    }
  } while (awaitChange());
  endChild();
}

bool LocalTrainer::awaitChange() {
  const MutexLock lock(mutex_);
  if (!woken_ && !stopping_ && !ended_) changed_.waitFor(mutex_, pauses_.poll);
  woken_ = false;
  return !stopping_;
}

void LocalTrainer::startChild() {
  ChildCommand command{
      command_.executable, command_.arguments, command_.variables,
      [](const std::string& line) { relayLogLine(kLog, "trainer_output", {}, line); }};
  if (command_.more_arguments) {
    for (std::string& each : command_.more_arguments())
      command.arguments.push_back(std::move(each));
  }
  started_ = Clock::now();
  Result<std::unique_ptr<ChildProcess>> child =
      ChildProcess::start(std::move(command), [this](const ChildExit& exit) {
        const MutexLock lock(mutex_);
        pid_ = 0;
        ended_ = true;
        exit_ = exit;
        changed_.notifyAll();
      });
  if (!child) {
    kLog.error("trainer_not_started",
               {{"program", command_.executable}, {"reason", child.error().message()}});
    not_before_ = Clock::now() + restart_pause_;
    restart_pause_ = std::min(2 * restart_pause_, pauses_.longest_restart);
    return;
  }
  child_ = *std::move(child);
  kLog.info("trainer_started", {{"pid", child_->pid()}});
  const MutexLock lock(mutex_);
  if (!ended_) pid_ = child_->pid();
}

void LocalTrainer::endChild() {
  if (child_ == nullptr) return;
  child_->terminate();
  const Clock::time_point latest = Clock::now() + pauses_.stop;
  {
    const MutexLock lock(mutex_);
    while (!ended_ && Clock::now() < latest) changed_.waitFor(mutex_, latest - Clock::now());
  }
  child_.reset();
}

}  // namespace spindle::training
