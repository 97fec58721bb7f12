#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "trainer/model/model.h"
#include "trainer/model/schedule.h"

// Pretraining of a small model from scratch. It depends only on LibTorch: standalone/ builds it
// without other dependencies.

namespace spindle::trainer {

struct PretrainOptions {
  ModelShape shape;
  /// Files of 16-bit little-endian tokens. `document_end` ends a document. Documents of a batch do
  /// not attend to each other; every epoch has a new order.
  std::vector<std::string> token_files;
  /// One mask file per token file, with one byte per token: non-zero if the token is a target.
  /// Empty: all tokens are targets.
  std::vector<std::string> mask_files = {};
  std::string held_out_file = {};  ///< tokens for evaluation; empty: none
  std::int64_t document_end = 0;

  std::string out;         ///< output folder: config.json, model.safetensors
  std::string state = {};  ///< state file to resume from if it exists; empty: none
  std::uint64_t seed = 1;
  std::uint64_t steps = 1000;
  /// Time limit: the learning rate reaches its floor and training ends after this time, before
  /// `steps` if necessary; 0: none. The result then depends on the machine's speed.
  double seconds = 0;
  std::uint64_t batch_tokens = 32768;  ///< tokens per step
  std::uint64_t micro_tokens =
      32768;  ///< tokens per forward pass; a step has as many passes as needed
  Schedule schedule = {.peak = 1e-3, .floor = 1e-5, .warmup_ratio = 0.02, .decay = Decay::kCosine};
  double weight_decay = 0.1;
  double clip = 1;
  double second_decay = 0.95;
  std::uint64_t measure_every = 200;
  std::uint64_t save_every = 0;   ///< steps between saved states; 0: never
  std::int64_t begin_token = -1;  ///< for config.json; -1: none
  std::int64_t end_token = -1;
  Compute compute = {};
};

struct PretrainProgress {
  std::uint64_t step = 0;    ///< number of completed steps
  double loss = 0;           ///< per token, of the last step
  double held_out_loss = 0;  ///< NaN if it was not measured in this step
  double learning_rate = 0;
  double gradient = 0;
  double tokens_per_second = 0;
  double epoch = 0;
};

/// Runs the pretraining; blocks until it is done. Calls `told` after every step.
/// @return kInvalidArgument for unusable files or a loss that is not finite; kNotFound;
///     kUnavailable
Result<void> pretrain(const PretrainOptions& options,
                      const std::function<void(const PretrainProgress&)>& on_step);

/// Parses the command line of `pretrain`: `--layers 6 --tokens a.bin …`, as in its help.
/// @return kInvalidArgument for unknown, missing or invalid options
Result<PretrainOptions> pretrainOptionsOf(const std::vector<std::string>& arguments);
/// Returns the help text of the options.
std::string pretrainHelp();
/// Runs the command line and prints progress to standard output. @return an exit code
int pretrainProgram(const std::vector<std::string>& arguments);

}  // namespace spindle::trainer
