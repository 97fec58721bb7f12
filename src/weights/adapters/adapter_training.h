#pragma once

#include <cstdint>

namespace spindle::weights {

/// The LoRA and optimizer settings of a training job, with the defaults of SFT jobs. The server
/// sends them to trainers, which use the same defaults for members that are missing.
struct AdapterTraining {
  std::int64_t lora_rank = 8;
  double lora_alpha = 32;
  double weight_decay = 0;
  double max_grad_norm = 1;
  double beta1 = 0.9;
  double beta2 = 0.99;
  double adam_epsilon = 1e-8;
  std::int64_t seed = 3407;
};

/// The defaults of RL jobs.
inline constexpr AdapterTraining kRlAdapterTraining = {.weight_decay = 0.1, .max_grad_norm = 0.1};

}  // namespace spindle::weights
