#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "trainer/model.h"
#include "trainer/schedule.h"

// Training a small model from nothing. This and all it is made of needs LibTorch alone: see
// standalone/, which builds it where nothing else is.

namespace spindle::trainer {

struct PretrainOptions {
  ModelShape shape;
  /// Files of tokens, 16 bits each, little-endian. `document_end` ends a document: the documents of
  /// a batch do not see one another, and their order is dealt anew in every epoch.
  std::vector<std::string> token_files;
  /// Beside each token file one with a byte for every token: is it to be foretold? Empty: all are.
  std::vector<std::string> mask_files = {};
  std::string held_out_file = {};  ///< tokens to measure on; empty: none
  std::int64_t document_end = 0;

  std::string out;         ///< a folder: config.json, model.safetensors
  std::string state = {};  ///< a file to go on from when it is there; empty: none
  std::uint64_t seed = 1;
  std::uint64_t steps = 1000;
  /// When so many have gone by the rate has come down to its floor and training ends, whatever the
  /// steps; 0: any. What a seed gives then depends on the machine.
  double seconds = 0;
  std::uint64_t batch_tokens = 32768;  ///< of a step
  std::uint64_t micro_tokens = 32768;  ///< of a pass; a step is as many as it takes
  Schedule schedule = {.peak = 1e-3, .floor = 1e-5, .warmup_ratio = 0.02, .decay = Decay::kCosine};
  double weight_decay = 0.1;
  double clip = 1;
  double second_decay = 0.95;
  std::uint64_t measure_every = 200;
  std::uint64_t save_every = 0;   ///< steps between saved states; 0: none
  std::int64_t begin_token = -1;  ///< for config.json; -1: none
  std::int64_t end_token = -1;
  Compute compute = {};
};

struct PretrainProgress {
  std::uint64_t step = 0;    ///< how many are done
  double loss = 0;           ///< per token, of the last step
  double held_out_loss = 0;  ///< NaN when it was not measured now
  double learning_rate = 0;
  double gradient = 0;
  double tokens_per_second = 0;
  double epoch = 0;
};

/// Blocks until it is done. `told` after every step.
/// @return kInvalidArgument for files that cannot be used and a loss that is no number; kNotFound,
///     kUnavailable
Result<void> pretrain(const PretrainOptions& options,
                      const std::function<void(const PretrainProgress&)>& told);

/// What `pretrain` is given on the command line: `--layers 6 --tokens a.bin …`, as its help says.
/// @return kInvalidArgument for what is unknown, missing or no number
Result<PretrainOptions> pretrainOptionsOf(const std::vector<std::string>& arguments);
/// What there is to say on the command line.
std::string pretrainHelp();
/// Does what the command line says, with its progress on standard output. @return an exit code
int pretrainProgram(const std::vector<std::string>& arguments);

}  // namespace spindle::trainer
