#include "trainer/pretraining/pretrain.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "trainer/pretraining/documents.h"
#include "trainer/pretraining/model_folder.h"

namespace spindle::trainer {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Pretraining {
 public:
  Pretraining(const PretrainOptions& options,
              const std::function<void(const PretrainProgress&)>& on_step)
      : options_(options),
        on_step_(on_step),
        order_(documents_, options.seed, options.shape.context) {}

  Result<void> run() {
    TRY(readFiles());
    std::unique_ptr<Model> made =
        TRY(Model::random(options_.shape, options_.seed, options_.compute));
    model_ = std::move(made);
    if (!options_.state.empty() && std::filesystem::exists(options_.state)) {
      TRY(resume());
    }
    while (step_ < options_.steps && share() < 1) {
      TRY(runStep());
      if (options_.save_every > 0 && !options_.state.empty() && step_ % options_.save_every == 0) {
        TRY(saveState());
      }
    }
    return writeModelFolder(*model_, options_.out,
                            {.begin_token = options_.begin_token, .end_token = options_.end_token});
  }

 private:
  Result<void> readFiles() {
    if (options_.token_files.empty()) return Error::invalidArgument("There are no token files.");
    if (!options_.mask_files.empty() && options_.mask_files.size() != options_.token_files.size())
      return Error::invalidArgument("There must be a mask file for each token file.");
    for (std::size_t i = 0; i < options_.token_files.size(); ++i) {
      TRY(documents_.add(options_.token_files[i],
                         options_.mask_files.empty() ? std::string() : options_.mask_files[i],
                         options_.document_end, options_.shape.vocabulary));
    }
    if (options_.held_out_file.empty()) return {};
    return held_out_.add(options_.held_out_file, {}, options_.document_end,
                         options_.shape.vocabulary);
  }

  /// Returns the elapsed share of the time limit.
  double share() const {
    return options_.seconds <= 0 ? 0 : secondsSince(begun_) / options_.seconds;
  }

  /// Returns the learning rate, by steps or by time, whichever is further.
  double rate() const {
    const auto by_time = static_cast<std::uint64_t>(share() * static_cast<double>(options_.steps));
    const std::uint64_t step = std::min(std::max(step_, by_time), options_.steps - 1);
    return learningRate(options_.schedule, step, options_.steps);
  }

  Result<void> runStep() {
    const Clock::time_point begin = Clock::now();
    std::vector<DocumentBatch> passes;
    std::size_t tokens = 0;
    std::size_t targets = 0;
    while (tokens < options_.batch_tokens) {
      passes.push_back(order_.next(
          std::min<std::uint64_t>(options_.micro_tokens, options_.batch_tokens - tokens)));
      tokens += passes.back().row.tokens.size();
      targets += passes.back().targets.at.size();
    }
    PretrainProgress progress;
    for (const DocumentBatch& pass : passes) {
      if (pass.targets.at.empty()) continue;
      const std::vector<float> weights(pass.targets.at.size(), 1 / static_cast<float>(targets));
      const double loss = TRY(model_->learn(pass.row, pass.targets, weights));
      progress.loss += loss;
    }
    progress.learning_rate = rate();
    const double length = TRY(model_->step({.learning_rate = progress.learning_rate,
                                            .weight_decay = options_.weight_decay,
                                            .clip = options_.clip,
                                            .second_decay = options_.second_decay}));
    if (!std::isfinite(progress.loss) || !std::isfinite(length)) {
      return Error::invalidArgument("The loss of step " + std::to_string(step_ + 1) +
                                    " is no number: a lower learning rate may help.");
    }
    ++step_;
    progress.step = step_;
    progress.gradient = length;
    progress.epoch = order_.epochs();
    progress.tokens_per_second = static_cast<double>(tokens) / secondsSince(begin);
    progress.held_out_loss = std::numeric_limits<double>::quiet_NaN();
    const bool measured = options_.measure_every > 0 &&
                          (step_ % options_.measure_every == 0 || step_ == options_.steps);
    if (measured && held_out_.size() > 0) {
      const double held_out = TRY(measure());
      progress.held_out_loss = held_out;
    }
    on_step_(progress);
    return {};
  }

  Result<double> measure() {
    DocumentOrder order(held_out_, 0, options_.shape.context);
    double sum = 0;
    double count = 0;
    while (const std::optional<DocumentBatch> batch =
               order.nextInFileOrder(options_.micro_tokens)) {
      if (batch->targets.at.empty()) continue;
      const TokenScores scores = TRY(model_->score(batch->row, batch->targets, Policy::kLearner));
      for (const float logprob : scores.logprobs) sum -= static_cast<double>(logprob);
      count += static_cast<double>(scores.logprobs.size());
    }
    return count == 0 ? 0 : sum / count;
  }

  Result<void> saveState() {
    return model_->saveState(options_.state,
                             std::to_string(step_) + " " + std::to_string(order_.position()));
  }

  Result<void> resume() {
    const std::string note = TRY(model_->loadState(options_.state));
    const std::size_t space = note.find(' ');
    if (space == std::string::npos || note.find_first_not_of("0123456789 ") != std::string::npos)
      return Error::invalidArgument(options_.state + ": it is not a pretraining state.");
    step_ = std::stoull(note.substr(0, space));
    order_.setPosition(std::stoull(note.substr(space + 1)));
    return {};
  }

  const PretrainOptions& options_;
  const std::function<void(const PretrainProgress&)>& on_step_;
  const Clock::time_point begun_ = Clock::now();
  Documents documents_;
  Documents held_out_;
  DocumentOrder order_;
  std::unique_ptr<Model> model_;
  std::uint64_t step_ = 0;
};

}  // namespace

Result<void> pretrain(const PretrainOptions& options,
                      const std::function<void(const PretrainProgress&)>& on_step) {
  if (options.steps == 0 || options.batch_tokens == 0 || options.micro_tokens == 0)
    return Error::invalidArgument("Steps and the tokens of a step must be at least 1.");
  return Pretraining(options, on_step).run();
}

}  // namespace spindle::trainer
