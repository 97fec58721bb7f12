#include "trainer/jobs/rl_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "trainer/jobs/logprob.h"

namespace spindle::trainer {
namespace {

constexpr double kTinyDivisor = 1e-6;
constexpr double kLeastDifference = 1e-12;
constexpr std::uint64_t kRowStep = 2048;
constexpr std::uint64_t kLongestRow = 32768;

/// std::shuffle differs between libraries.
template <class T>
void shuffle(std::vector<T>& items, std::mt19937_64& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random() % i]);
}

/// A sequence to train on.
struct TrainedSequence {
  const TokenSequence* sequence = nullptr;
  double advantage = 0;
  double weight = 0;
};

class Packer {
 public:
  Packer(std::uint64_t length, std::uint64_t seed) : length_(length), random_(seed) {}

  void add(std::vector<TrainedSequence> pieces) {
    std::vector<const TokenSequence*> sequences;
    sequences.reserve(pieces.size());
    for (const TrainedSequence& piece : pieces) sequences.push_back(piece.sequence);
    const std::uint64_t shared =
        pieces.size() < 2 ? 0 : std::min(sharedPrefixLength(sequences), length_ - 1);
    shuffle(pieces, random_);
    parent_row_ = kNone;
    for (const TrainedSequence& piece : pieces) place(piece, shared);
  }

  std::vector<RlRow> rows() {
    shuffle(rows_, random_);
    return std::move(rows_);
  }
  std::uint64_t truncated() const { return truncated_; }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  void place(const TrainedSequence& piece, std::uint64_t shared) {
    const std::uint64_t whole = piece.sequence->ids.size();
    const std::uint64_t kept = std::min(whole, length_);
    const auto sampled = piece.sequence->sampled.begin();
    if (std::find(sampled + static_cast<std::ptrdiff_t>(shared),
                  sampled + static_cast<std::ptrdiff_t>(kept),
                  true) == sampled + static_cast<std::ptrdiff_t>(kept))
      return;
    if (kept < whole) ++truncated_;
    std::uint64_t needed = kept - shared;
    if (rows_.empty() || parent_row_ != rows_.size() - 1) needed += shared;
    if (rows_.empty() || rows_.back().row.tokens.size() + needed > length_) {
      rows_.emplace_back();
      parent_row_ = kNone;
    }
    if (shared > 0 && parent_row_ != rows_.size() - 1) {
      parent_row_ = rows_.size() - 1;
      parent_id_ = ++last_id_;
      parent_begin_ = static_cast<std::int64_t>(rows_.back().row.tokens.size());
      append(piece, 0, shared, parent_id_, parent_id_, {});
    }
    const std::int64_t id = ++last_id_;
    append(piece, shared, kept, id, shared > 0 ? parent_id_ : id,
           {.begin = parent_begin_, .length = static_cast<std::int64_t>(shared)});
  }

  void append(const TrainedSequence& piece,
              std::uint64_t begin,
              std::uint64_t end,
              std::int64_t id,
              std::int64_t parent,
              const Span& seen) {
    RlRow& row = rows_.back();
    row.row.spans.push_back({.begin = static_cast<std::int64_t>(row.row.tokens.size()),
                             .length = static_cast<std::int64_t>(end - begin),
                             .parent_begin = seen.length > 0 ? seen.begin : 0,
                             .parent_length = seen.length});
    for (std::uint64_t i = begin; i < end; ++i) {
      // Shared prefixes count as not sampled, and the first token has no token before it that could
      // predict it.
      const bool sampled = id != parent || seen.length == 0 ? piece.sequence->sampled[i] : false;
      const bool learned = sampled && i > begin;
      row.row.tokens.push_back(piece.sequence->ids[i]);
      row.row.positions.push_back(static_cast<std::int64_t>(i));
      row.group_ids.push_back(id);
      row.parent_ids.push_back(parent);
      row.sampled.push_back(learned);
      row.old_logprobs.push_back(learned ? piece.sequence->old_logprobs[i] : kUnknownLogprob);
      row.advantages.push_back(learned ? piece.advantage : 0);
      row.weights.push_back(learned ? piece.weight : 0);
    }
  }

  const std::uint64_t length_;
  std::mt19937_64 random_;
  std::vector<RlRow> rows_;
  std::size_t parent_row_ = kNone;  ///< row that contains the group's shared prefix
  std::int64_t parent_id_ = 0;
  std::int64_t parent_begin_ = 0;
  std::int64_t last_id_ = 0;
  std::uint64_t truncated_ = 0;
};

template <class Change>
void forSampled(std::vector<RlRow>& rows, const Change& change) {
  for (RlRow& row : rows) {
    for (std::size_t i = 0; i < row.sampled.size(); ++i) {
      if (row.sampled[i]) change(row, i);
    }
  }
}

/// Normalizes over all sampled tokens of the job: mean weight 1 and weighted mean absolute
/// advantage 1, so that a learning rate means the same for every job.
void normalise(std::vector<RlRow>& rows, double balance, double tokens) {
  double sum = 0;
  forSampled(rows, [&](RlRow& row, std::size_t i) { sum += row.weights[i]; });
  if (tokens == 0 || sum == 0) return;
  forSampled(rows, [&](RlRow& row, std::size_t i) { row.weights[i] /= sum / tokens; });
  double size = 0;
  forSampled(rows, [&](RlRow& row, std::size_t i) {
    double& advantage = row.advantages[i];
    if (balance > 0 && advantage <= 0) advantage *= 1 - balance;
    if (balance < 0 && advantage >= 0) advantage *= 1 + balance;
    size += std::abs(advantage) * row.weights[i];
  });
  if (size == 0) return;
  forSampled(rows, [&](RlRow& row, std::size_t i) { row.advantages[i] /= size / tokens; });
}

}  // namespace

Advantages advantagesOf(const std::vector<double>& rewards, bool scaled) {
  Advantages advantages;
  if (rewards.empty()) return advantages;
  const auto count = static_cast<double>(rewards.size());
  for (const double reward : rewards) advantages.mean_reward += reward / count;
  double spread = 0;
  for (const double reward : rewards)
    spread += (reward - advantages.mean_reward) * (reward - advantages.mean_reward);
  advantages.deviation = std::sqrt(spread / count);
  const auto [lowest, highest] = std::minmax_element(rewards.begin(), rewards.end());
  advantages.trainable = rewards.size() > 1 && *highest - *lowest > kLeastDifference;
  for (const double reward : rewards) {
    const double centred = advantages.trainable ? reward - advantages.mean_reward : 0;
    advantages.values.push_back(scaled ? centred / (advantages.deviation + kTinyDivisor) : centred);
  }
  return advantages;
}

std::uint64_t sharedPrefixLength(const std::vector<const TokenSequence*>& sequences) {
  if (sequences.empty()) return 0;
  const TokenSequence& first = *sequences.front();
  std::uint64_t length = first.ids.size();
  for (const TokenSequence* sequence : sequences) {
    std::uint64_t common = 0;
    while (common < std::min<std::uint64_t>(length, sequence->ids.size()) &&
           sequence->ids[common] == first.ids[common] && !sequence->sampled[common] &&
           std::isnan(sequence->old_logprobs[common]))
      ++common;
    length = common;
  }
  return length == 0 ? 0 : length - 1;
}

Targets RlRow::targets() const {
  Targets targets;
  for (std::size_t i = 0; i < sampled.size(); ++i) {
    if (!sampled[i]) continue;
    targets.at.push_back(static_cast<std::int64_t>(i) - 1);
    targets.tokens.push_back(row.tokens[i]);
  }
  return targets;
}

std::uint64_t RlRow::trajectories() const {
  std::set<std::int64_t> beginnings;
  for (const Span& span : row.spans) {
    if (span.parent_length > 0) beginnings.insert(span.parent_begin);
  }
  return row.spans.size() - beginnings.size();
}

std::string RlPlan::whyEmpty() const {
  if (differing_groups == 0) {
    return "There is nothing to learn: in no group do the rewards of several trajectories differ.";
  }
  if (trainable_groups == 0) {
    return "There is nothing to learn: the answers come without log probabilities. Sample them "
           "with logprobs, or set allow_training_without_logprobs.";
  }
  return "There is nothing to learn: no answer begins within the " + std::to_string(row_length) +
         " tokens of a row. Use a larger packed_sequence_length, up to the model's "
         "context length.";
}

RlPlan planRl(const std::vector<TokenGroup>& groups,
              const RlOptions& options,
              std::uint64_t context) {
  RlPlan plan;
  std::vector<std::vector<TrainedSequence>> kept;
  std::uint64_t longest = 0;
  double with_several = 0;
  for (const TokenGroup& group : groups) {
    ++plan.groups;
    plan.exceptions += group.exceptions;
    std::vector<double> rewards;
    for (const TokenTrajectory& trajectory : group.trajectories) {
      rewards.push_back(trajectory.reward);
      plan.mean_reward += trajectory.reward;
      plan.mean_length += static_cast<double>(trajectory.sampledTokens());
    }
    plan.trajectories += rewards.size();
    const Advantages advantages = advantagesOf(rewards, options.scale_rewards);
    if (rewards.size() > 1) {
      plan.reward_deviation += advantages.deviation;
      with_several += 1;
    }
    if (!advantages.trainable) continue;
    ++plan.differing_groups;
    if (std::any_of(group.trajectories.begin(), group.trajectories.end(),
                    [](const TokenTrajectory& one) { return one.sampledTokens() > 0; }))
      ++plan.trainable_groups;
    std::vector<TrainedSequence> pieces;
    for (std::size_t i = 0; i < rewards.size(); ++i) {
      if (advantages.values[i] == 0) continue;
      const TokenTrajectory& trajectory = group.trajectories[i];
      const double weight = 1 / (static_cast<double>(trajectory.sampledTokens()) + kTinyDivisor);
      for (const TokenSequence& sequence : trajectory.sequences) {
        longest = std::max<std::uint64_t>(longest, sequence.ids.size());
        pieces.push_back({&sequence, advantages.values[i], weight});
      }
    }
    kept.push_back(std::move(pieces));
  }
  if (plan.trajectories > 0) {
    plan.mean_reward /= static_cast<double>(plan.trajectories);
    plan.mean_length /= static_cast<double>(plan.trajectories);
  }
  if (with_several > 0) plan.reward_deviation /= with_several;
  const std::uint64_t usual = (std::max<std::uint64_t>(longest, 1) + kRowStep - 1) / kRowStep;
  plan.row_length =
      std::min({options.packed_sequence_length.value_or(usual * kRowStep), context, kLongestRow});
  plan.row_length = std::max<std::uint64_t>(plan.row_length, 2);

  Packer packer(plan.row_length, static_cast<std::uint64_t>(options.learner.seed));
  for (std::vector<TrainedSequence>& pieces : kept) packer.add(std::move(pieces));
  plan.rows = packer.rows();
  plan.truncated = packer.truncated();
  forSampled(plan.rows, [&plan](RlRow&, std::size_t) { ++plan.trainable_tokens; });
  normalise(plan.rows, options.advantage_balance, static_cast<double>(plan.trainable_tokens));
  return plan;
}

}  // namespace spindle::trainer
