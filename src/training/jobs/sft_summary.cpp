#include "training/jobs/sft_summary.h"

#include <array>
#include <string_view>

namespace spindle::training {
namespace {

struct Member {
  std::string_view of_step;
  std::string_view name;
  bool is_sum;
};
constexpr auto kMembers = std::to_array<Member>({
    {"loss", "loss/train", false},
    {"grad_norm", "loss/grad_norm", false},
    {"learning_rate", "loss/learning_rate", false},
    {"num_trajectories", "data/step_num_trajectories", true},
    {"num_tokens", "data/step_num_tokens", true},
    {"num_trainable_tokens", "data/step_trainer_tokens", true},
});

}  // namespace

void SftSummary::add(const Metrics& step) {
  ++steps_;
  for (const auto& [name, value] : step) {
    Sum& sum = sums_[name];
    sum.total += value;
    ++sum.count;
  }
}

Metrics SftSummary::metrics() const {
  Metrics metrics;
  if (steps_ == 0) return metrics;
  for (const Member& member : kMembers) {
    const auto found = sums_.find(std::string(member.of_step));
    if (found == sums_.end()) continue;
    const Sum& sum = found->second;
    metrics.emplace_back(member.name,
                         member.is_sum ? sum.total : sum.total / static_cast<double>(sum.count));
  }
  metrics.emplace_back("data/step_num_gradient_steps", static_cast<double>(steps_));
  return metrics;
}

}  // namespace spindle::training
