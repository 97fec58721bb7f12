#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "trainer/jobs/job_context.h"
#include "trainer/jobs/rl_plan.h"
#include "trainer/jobs/trajectory.h"
#include "trainer/model/line_file.h"

namespace spindle::trainer {
namespace {

class RlJob {
 public:
  RlJob(const JobContext& context, const RlOptions& options)
      : context_(context), options_(options) {}

  Result<JobResult> run() {
    TRY(this->read());
    context_.model.setChunk(static_cast<std::int64_t>(options_.chunk));
    TRY(scoreBefore());
    JobProgress progress(context_, options_.learner);
    const std::uint64_t done = TRY(progress.begin(plan_.rows.size(), plan_.whyEmpty()));
    JobResult result{.unchanged = plan_.rows.empty(), .metrics = common_};
    for (std::uint64_t i = done; i < plan_.rows.size(); ++i) {
      Metrics metrics = common_;
      double loss = 0;
      TRY(learn(i, loss, metrics));
      const double rate =
          options_.learning_rate *
          trajectoriesFactor(plan_.rows[i].trajectories(), options_.trajectories_power) *
          (options_.scale_by_reward_spread ? spreadFactor(context_.spec.reward_history) : 1);
      TRY(progress.step(loss, rate, plan_.rows[i].row.tokens.size(), std::move(metrics)));
      result.metrics["loss"] = loss;
    }
    return result;
  }

 private:
  Result<void> read() {
    std::vector<TokenGroup> groups;
    std::map<std::string, std::pair<double, double>> group_metrics;  // sum, count
    const char* called = context_.spec.is_manual ? "line" : "group";
    TRY(forEachLine(context_.spec.data, called, [&](const std::string& line) -> Result<void> {
      const TrajectoryGroup group = TRY(trajectoryGroupOf(line));
      TokenGroup tokens;
      tokens.exceptions = group.exceptions;
      for (const Trajectory& trajectory : group.trajectories) {
        Result<TokenTrajectory> one =
            tokensOf(trajectory, context_.codec, options_.allow_training_without_logprobs);
        if (!one) {
          return Error::invalidArgument("trajectories[" +
                                        std::to_string(tokens.trajectories.size()) +
                                        "]: " + one.error().message());
        }
        tokens.trajectories.push_back(*std::move(one));
      }
      for (const auto& [name, value] : group.metrics) {
        group_metrics[name].first += value;
        group_metrics[name].second += 1;
      }
      groups.push_back(std::move(tokens));
      return {};
    }));
    plan_ = planRl(groups, options_, context_.model.shape().context);
    describe();
    for (const auto& [name, sum] : group_metrics)
      common_["group_metric_" + name] = sum.first / sum.second;
    return {};
  }

  void describe() {
    const auto number = [](std::uint64_t count) { return static_cast<double>(count); };
    const double all = number(plan_.trajectories + plan_.exceptions);
    common_ = {{"reward", plan_.mean_reward},
               {"reward_std_dev", plan_.reward_deviation},
               {"completion_length", plan_.mean_length},
               {"exception_rate", all == 0 ? 0 : number(plan_.exceptions) / all},
               {"num_groups_submitted", number(plan_.groups)},
               {"num_groups_trainable", number(plan_.trainable_groups)},
               {"num_trajectories", number(plan_.trajectories)},
               {"num_trainable_tokens", number(plan_.trainable_tokens)},
               {"num_datums", number(plan_.rows.size())}};
  }

  /// Scores the rows with the initial policy, before the first step changes it. Must run before a
  /// saved state is loaded, which replaces the adapter.
  Result<void> scoreBefore() {
    for (const RlRow& row : plan_.rows) {
      const Targets targets = row.targets();
      PolicyTokens tokens;
      for (std::size_t i = 0; i < row.sampled.size(); ++i) {
        if (!row.sampled[i]) continue;
        tokens.sequence.push_back(row.group_ids[i]);
        tokens.old_logprobs.push_back(row.old_logprobs[i]);
        tokens.advantages.push_back(row.advantages[i]);
        tokens.weights.push_back(row.weights[i]);
      }
      if (options_.precalculate_logprobs) {
        const TokenScores scores = TRY(context_.model.score(row.row, targets, Policy::kLearner));
        tokens.original_logprobs = std::move(tokens.old_logprobs);
        tokens.old_logprobs.assign(scores.logprobs.begin(), scores.logprobs.end());
      }
      tokens_.push_back(std::move(tokens));
    }
    if (options_.kl_coefficient == 0) return {};
    const Policy policy = context_.spec.reference.empty() ? Policy::kBase : Policy::kReference;
    for (const RlRow& row : plan_.rows) {
      const TokenScores scores = TRY(context_.model.score(row.row, row.targets(), policy));
      references_.emplace_back(scores.logprobs.begin(), scores.logprobs.end());
    }
    return {};
  }

  Result<void> learn(std::uint64_t index, double& loss, Metrics& metrics) {
    const RlRow& row = plan_.rows[index];
    return context_.model.learn(
        row.row, row.targets(), [&](const TokenScores& scores) -> Result<std::vector<float>> {
          PolicyTokens tokens = tokens_[index];
          const std::vector<double> logprobs(scores.logprobs.begin(), scores.logprobs.end());
          for (const double logprob : logprobs) {
            if (!std::isfinite(logprob)) {
              return Error::invalidArgument("The loss is not a number at step " +
                                            std::to_string(index + 1) +
                                            ": a lower learning_rate may help.");
            }
          }
          if (!references_.empty()) shape(index, logprobs, tokens, metrics);
          const PolicyLossResult result = policyLoss(tokens, logprobs, options_.loss);
          loss = result.loss;
          addMetrics(result, scores, tokens, metrics);
          return std::vector<float>(result.slopes.begin(), result.slopes.end());
        });
  }

  void shape(std::uint64_t index,
             const std::vector<double>& logprobs,
             PolicyTokens& tokens,
             Metrics& metrics) const {
    std::vector<double> source = logprobs;
    if (options_.kl_source == KlSource::kSample) {
      for (std::size_t i = 0; i < source.size(); ++i) {
        if (!std::isnan(tokens.old_logprobs[i])) source[i] = tokens.old_logprobs[i];
      }
    }
    KlPenalty shaped =
        withKlPenalty(tokens.advantages, source, references_[index], options_.kl_coefficient);
    tokens.advantages = std::move(shaped.advantages);
    metrics["kl_policy_ref"] = shaped.mean;
  }

  static void addMetrics(const PolicyLossResult& result,
                         const TokenScores& scores,
                         const PolicyTokens& tokens,
                         Metrics& metrics) {
    double entropy = 0;
    double weight = 0;
    for (std::size_t i = 0; i < scores.entropies.size(); ++i) {
      entropy += static_cast<double>(scores.entropies[i]) * tokens.weights[i];
      weight += tokens.weights[i];
    }
    metrics["policy_loss"] = result.loss;
    metrics["entropy"] = weight == 0 ? 0 : entropy / weight;
    metrics["kl_div"] = result.kl;
    metrics["loss/importance_ratio_mean"] = result.ratio_mean;
    metrics["loss/importance_ratio_p95"] = result.ratio_p95;
    metrics["loss/importance_ratio_p99"] = result.ratio_p99;
    metrics["loss/clipped_token_fraction"] = result.clipped_fraction;
    if (result.probability_correlation)
      metrics["loss/probs_corr"] = *result.probability_correlation;
  }

  const JobContext& context_;
  const RlOptions& options_;
  RlPlan plan_;
  std::vector<PolicyTokens> tokens_;             ///< one per row
  std::vector<std::vector<double>> references_;  ///< one per row; empty without KL penalty
  Metrics common_;
};

}  // namespace

Result<JobResult> runRl(const JobContext& context, const RlOptions& options) {
  return RlJob(context, options).run();
}

}  // namespace spindle::trainer
