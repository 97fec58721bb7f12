#include "trainer/jobs/job_context.h"

#include <cmath>
#include <filesystem>
#include <utility>

namespace spindle::trainer {
namespace {

/// Returns the beginning of a saved state's note, before the number of completed steps.
std::string notePrefixOf(JobSpec::Kind kind, std::uint64_t total) {
  return (kind == JobSpec::Kind::kSft ? "sft " : "rl ") + std::to_string(total) + " ";
}

}  // namespace

JobProgress::JobProgress(const JobContext& context, const LearnerOptions& learner)
    : context_(context), learner_(learner) {}

Result<std::uint64_t> JobProgress::begin(std::uint64_t total, const std::string& note) {
  total_ = total;
  const std::string& state = context_.spec.state;
  if (!state.empty() && std::filesystem::exists(state)) {
    const std::string mark = TRY(context_.model.loadState(state));
    const std::string expected = notePrefixOf(context_.spec.kind, total);
    const std::string rest =
        mark.starts_with(expected) ? mark.substr(expected.size()) : std::string();
    if (rest.empty() || rest.find_first_not_of("0123456789") != std::string::npos)
      return Error::invalidArgument("The saved state belongs to another job.");
    done_ = std::stoull(rest);
  }
  context_.events.onStart(total, total == 0 ? note : std::string());
  last_step_ = last_save_ = Clock::now();
  return done_;
}

Result<void> JobProgress::step(double loss,
                               double learning_rate,
                               std::uint64_t tokens,
                               Metrics metrics) {
  const double length = TRY(context_.model.step({.learning_rate = learning_rate,
                                                 .weight_decay = learner_.weight_decay,
                                                 .clip = learner_.max_grad_norm,
                                                 .first_decay = learner_.beta1,
                                                 .second_decay = learner_.beta2,
                                                 .epsilon = learner_.adam_epsilon}));
  ++done_;
  if (!std::isfinite(loss) || !std::isfinite(length)) {
    return Error::invalidArgument("The loss is not a number at step " + std::to_string(done_) +
                                  ": a lower learning_rate may help.");
  }
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - last_step_).count();
  last_step_ = now;
  metrics["loss"] = loss;
  metrics["learning_rate"] = learning_rate;
  metrics["grad_norm"] = length;
  metrics["tokens_per_second"] = static_cast<double>(tokens) / std::max(seconds, 1e-9);
  metrics["gradient_step"] = static_cast<double>(done_);
  std::erase_if(metrics, [](const auto& metric) { return !std::isfinite(metric.second); });
  context_.events.onStep(done_, metrics);
  const JobEvents::Action action = context_.events.action();
  if (action == JobEvents::Action::kStop)
    return Error::conflict("The job was cancelled.").because("job_cancelled");
  const double unsaved = std::chrono::duration<double>(now - last_save_).count();
  const bool due =
      unsaved >= context_.spec.seconds_between_states || action == JobEvents::Action::kPause;
  if (!context_.spec.state.empty() && done_ < total_ && due) {
    TRY(save());
  }
  if (action == JobEvents::Action::kPause && done_ < total_)
    return Error::conflict("The job was paused.").because("job_paused");
  return {};
}

Result<void> JobProgress::save() {
  TRY(context_.model.saveState(context_.spec.state,
                               notePrefixOf(context_.spec.kind, total_) + std::to_string(done_)));
  last_save_ = Clock::now();
  context_.events.onState(done_);
  return {};
}

}  // namespace spindle::trainer
