#include <algorithm>
#include <utility>
#include <vector>

#include "trainer/jobs/job_context.h"
#include "trainer/jobs/sft_tokens.h"
#include "trainer/model/line_file.h"

namespace spindle::trainer {
namespace {

/// Maximum tokens per forward pass of a batch's rows.
constexpr std::size_t kPassTokens = 8192;

struct Batch {
  double learning_rate = 0;
  std::vector<LabelledTokens> rows;
  std::uint64_t lines = 0;
  std::uint64_t tokens = 0;
  std::uint64_t labels = 0;
};

/// All batches, in file order.
class SftPlan {
 public:
  SftPlan(const JobContext& context, const SftOptions& options)
      : context_(context), options_(options) {}

  Result<void> read() {
    TRY(forEachLine(context_.spec.data, "line",
                    [this](const std::string& line) { return add(line); }));
    if (batches_.empty()) return Error::invalidArgument("The training data has no rows.");
    if (options_.rate_per_batch && options_.learning_rates.size() != batches_.size()) {
      return Error::invalidArgument(
          "learning_rate has " + std::to_string(options_.learning_rates.size()) +
          " entries, but the data makes " + std::to_string(batches_.size()) + " batches of " +
          std::to_string(options_.batch_size) + " rows: there must be one for each.");
    }
    for (std::size_t i = 0; i < batches_.size(); ++i)
      batches_[i].learning_rate = options_.learning_rates[options_.rate_per_batch ? i : 0];
    std::erase_if(batches_, [](const Batch& batch) { return batch.labels == 0; });
    return {};
  }

  const std::vector<Batch>& batches() const { return batches_; }
  std::uint64_t dropped() const { return dropped_; }
  std::uint64_t lines() const { return lines_; }
  /// Returns why there are no batches, for the user.
  std::string whyEmpty() const {
    if (dropped_ == lines_) {
      return "There is nothing to learn: every example is longer than the " +
             std::to_string(context_.model.shape().context) + " tokens of the model's context.";
    }
    return "There is nothing to learn: no example that fits has a message to train on "
           "(assistant_turns, loss_mask).";
  }

 private:
  Result<void> add(const std::string& line) {
    const SftRow row = TRY(sftRowOf(line));
    LabelledTokens tokens = TRY(labelled(row, context_.codec, options_.assistant_turns));
    if (lines_++ % options_.batch_size == 0) batches_.emplace_back();
    Batch& batch = batches_.back();
    ++batch.lines;
    if (tokens.ids.size() > context_.model.shape().context) {
      ++dropped_;
      return {};
    }
    const auto labels = static_cast<std::uint64_t>(
        std::count(tokens.labelled.begin(), tokens.labelled.end(), true));
    if (labels == 0) return {};
    batch.labels += labels;
    batch.tokens += tokens.ids.size();
    batch.rows.push_back(std::move(tokens));
    return {};
  }

  const JobContext& context_;
  const SftOptions& options_;
  std::vector<Batch> batches_;
  std::uint64_t lines_ = 0;
  std::uint64_t dropped_ = 0;
};

/// Adds the gradient of a batch. @return its loss: the mean over labels
Result<double> learn(Model& model, const Batch& batch) {
  double loss = 0;
  std::size_t next = 0;
  while (next < batch.rows.size()) {
    Row row;
    Targets targets;
    do {
      const LabelledTokens& tokens = batch.rows[next++];
      const auto base = static_cast<std::int64_t>(row.tokens.size());
      // Tokens after the last label have no influence.
      const auto last = std::find(tokens.labelled.rbegin(), tokens.labelled.rend(), true);
      const auto length = static_cast<std::size_t>(tokens.labelled.rend() - last);
      append(row, {tokens.ids.begin(), tokens.ids.begin() + static_cast<std::ptrdiff_t>(length)});
      for (std::size_t i = 1; i < length; ++i) {
        if (!tokens.labelled[i]) continue;
        targets.at.push_back(base + static_cast<std::int64_t>(i) - 1);
        targets.tokens.push_back(tokens.ids[i]);
      }
    } while (next < batch.rows.size() &&
             row.tokens.size() + batch.rows[next].ids.size() <= kPassTokens);
    const std::vector<float> weights(targets.at.size(), 1 / static_cast<float>(batch.labels));
    const double part = TRY(model.learn(row, targets, weights));
    loss += part;
  }
  return loss;
}

}  // namespace

Result<JobResult> runSft(const JobContext& context, const SftOptions& options) {
  SftPlan plan(context, options);
  TRY(plan.read());
  const std::vector<Batch>& batches = plan.batches();
  JobProgress progress(context, options.learner);
  const std::uint64_t done = TRY(progress.begin(batches.size(), plan.whyEmpty()));
  JobResult result;
  result.unchanged = batches.empty();
  result.metrics["num_trajectories"] = static_cast<double>(plan.lines());
  result.metrics["num_rows_dropped"] = static_cast<double>(plan.dropped());
  for (std::uint64_t i = done; i < batches.size(); ++i) {
    const Batch& batch = batches[i];
    const double loss = TRY(learn(context.model, batch));
    TRY(progress.step(loss, batch.learning_rate, batch.tokens,
                      {{"num_trajectories", static_cast<double>(batch.lines)},
                       {"num_tokens", static_cast<double>(batch.tokens)},
                       {"num_trainable_tokens", static_cast<double>(batch.labels)},
                       {"sequence_length", static_cast<double>(batch.tokens) /
                                               static_cast<double>(batch.rows.size())}}));
    result.metrics["loss"] = loss;
  }
  return result;
}

}  // namespace spindle::trainer
