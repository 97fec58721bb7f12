#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "trainer/kernels/row.h"
#include "trainer/model/adapter.h"
#include "trainer/model/model_shape.h"

namespace spindle::trainer {

/// Device, precision and memory settings.
struct Compute {
  bool cuda = false;
  /// Multiply in bfloat16; trainable parameters stay float32.
  bool half = false;
  int threads = 0;  ///< 0: one per core
  /// Activation checkpointing: if memory is short, keeps only the input of a layer and recomputes
  /// the layer in the backward pass. Trades time for memory.
  bool recompute = true;
  /// Memory for kept activations. 0: on a CPU what the machine can spare, on CUDA none.
  std::uint64_t keep_bytes = 0;
  /// Maximum rows of logits in memory.
  std::int64_t chunk = 1024;
};
/// Returns true if this machine has a CUDA device and LibTorch was built with CUDA.
bool hasCuda();
/// Returns the settings for this machine: CUDA and bfloat16 if there is a device.
Compute defaultCompute();

/// The weights of a model, with the names and the order of Hugging Face folders
/// (`model.layers.0.mlp.up_proj.weight`).
class WeightSource {
 public:
  virtual ~WeightSource() = default;
  virtual const ModelShape& shape() const = 0;
  virtual bool has(const std::string& name) const = 0;
  /// Reads a tensor. @return kInvalidArgument if it is missing or cannot be read
  virtual Result<std::vector<float>> read(const std::string& name) const = 0;
  /// Returns the divisors of the RoPE frequencies; empty: as the shape says.
  virtual std::vector<float> ropeDivisors() const { return {}; }
};

/// A named weight tensor.
struct NamedWeights {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::vector<float> numbers;
};

/// The policy whose logprobs are requested.
enum class Policy {
  kBase,       ///< the base model alone
  kLearner,    ///< with the adapter in training
  kReference,  ///< with the reference adapter
};

struct TokenScores {
  std::vector<float> logprobs;
  std::vector<float> entropies;  ///< empty unless requested
};

struct AdamOptions {
  double learning_rate = 0;
  double weight_decay = 0;
  double clip = 0;  ///< maximum norm of the gradient; 0: no clipping
  double first_decay = 0.9;
  double second_decay = 0.99;
  double epsilon = 1e-8;
};

/// A trainable transformer of the Llama, Qwen2 or Qwen3 family: an adapter on frozen weights, or
/// all weights. Belongs to one thread. Out-of-memory and other device errors are returned as
/// kUnavailable.
class Model {
 public:
  /// Loads frozen weights; setAdapter() adds the trainable parameters.
  /// @return kInvalidArgument if weights are missing or have the wrong size
  static Result<std::unique_ptr<Model>> load(const WeightSource& weights, const Compute& compute);
  /// Creates a model with random weights from a seed, all of them trainable.
  static Result<std::unique_ptr<Model>> random(const ModelShape& shape,
                                               std::uint64_t seed,
                                               const Compute& compute);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const ModelShape& shape() const;

  /// Makes the adapter trainable and resets the optimizer. Not for models created by random().
  Result<void> setAdapter(const Adapter& adapter);
  Result<void> setReference(const Adapter& adapter);
  /// Sets the maximum number of rows of logits in memory.
  void setChunk(std::int64_t rows);
  /// Returns the adapter with its current weights.
  Adapter adapter() const;
  /// Returns all weights, in the layout of Hugging Face folders.
  std::vector<NamedWeights> weights() const;

  /// Returns the logits at the row's token `at`.
  Result<std::vector<float>> logits(const Row& row, std::int64_t at, Policy policy);
  Result<TokenScores> score(const Row& row,
                            const Targets& targets,
                            Policy policy,
                            bool entropies = false);

  /// Adds the gradient of the sum of -weight * logprob. @return that sum
  Result<double> learn(const Row& row, const Targets& targets, const std::vector<float>& weights);
  /// Adds the gradient of a loss that is given by its derivative with respect to each logprob.
  /// Calls `slope` once.
  using Slope = std::function<Result<std::vector<float>>(const TokenScores& scores)>;
  Result<void> learn(const Row& row, const Targets& targets, const Slope& slope);

  /// Runs one AdamW step with the accumulated gradient.
  /// @return the norm of the gradient before clipping; if it is not finite, the parameters stay
  ///     unchanged
  Result<double> step(const AdamOptions& options);
  /// Discards the accumulated gradient.
  void dropGradient();
  /// Return or set the trainable parameters and their gradient, in parameter order: for tests.
  std::vector<float> gradientForTest() const;
  std::vector<float> parametersForTest() const;
  void setParametersForTest(const std::vector<float>& numbers);

  /// Saves the trainable parameters and the optimizer state. Writes a temporary file and renames it
  /// when it is complete. `note`: progress information of the caller.
  Result<void> saveState(const std::string& path, const std::string& note) const;
  /// Loads a saved state. @return the note; kInvalidArgument if the file belongs to another model
  Result<std::string> loadState(const std::string& path);

  /// Returns the peak device memory in bytes; 0 if it is not measured.
  std::uint64_t peakBytes() const;

 private:
  class State;
  explicit Model(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace spindle::trainer
