#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "trainer/adapter.h"
#include "trainer/row.h"
#include "trainer/shape.h"

namespace spindle::trainer {

/// Where and how it is computed.
struct Compute {
  bool cuda = false;
  /// Brain floats (16 bits) for what is multiplied; what is learned stays in 32 bits.
  bool half = false;
  int threads = 0;  ///< 0: as many as there are cores
  /// Keeps only what goes into a layer, and computes the layer again on the way back, where there
  /// is no memory for what it computed: memory for time.
  bool recompute = true;
  /// That memory. 0: on a CPU what the machine can spare, on CUDA none.
  std::uint64_t keep_bytes = 0;
  /// Rows of logits in memory at a time.
  std::int64_t chunk = 1024;
};
/// Whether this machine, and the library this was built with, has such a device.
bool hasCuda();
/// As the machine is: CUDA and halves where there is a device.
Compute usualCompute();

/// Weights of a model, by the names of Hugging Face folders (`model.layers.0.mlp.up_proj.weight`)
/// and in their order.
class WeightSource {
 public:
  virtual ~WeightSource() = default;
  virtual const ModelShape& shape() const = 0;
  virtual bool has(const std::string& name) const = 0;
  /// @return kInvalidArgument where it is missing or cannot be read
  virtual Result<std::vector<float>> read(const std::string& name) const = 0;
  /// Of the frequencies of positions; empty: as the shape says.
  virtual std::vector<float> ropeDivisors() const { return {}; }
};

/// Weights by name.
struct NamedWeights {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::vector<float> numbers;
};

/// Whose logprobs are asked for.
enum class Policy {
  kBase,       ///< the base model alone
  kLearner,    ///< with the adapter that is being trained
  kReference,  ///< with the adapter it is compared with
};

struct TokenScores {
  std::vector<float> logprobs;
  std::vector<float> entropies;  ///< empty when not asked for
};

struct AdamOptions {
  double learning_rate = 0;
  double weight_decay = 0;
  double clip = 0;  ///< the largest length of the gradient; 0: any
  double first_decay = 0.9;
  double second_decay = 0.99;
  double epsilon = 1e-8;
};

/// A transformer of the Llama, Qwen2 or Qwen3 family that learns: an adapter on frozen weights, or
/// all weights. Belongs to one thread. Out of memory and other trouble of the device comes back as
/// kUnavailable.
class Model {
 public:
  /// The weights are frozen: setAdapter() says what learns.
  /// @return kInvalidArgument for weights that are missing or do not fit
  static Result<std::unique_ptr<Model>> load(const WeightSource& weights, const Compute& compute);
  /// Every weight learns, from numbers out of a seed.
  static Result<std::unique_ptr<Model>> random(const ModelShape& shape,
                                               std::uint64_t seed,
                                               const Compute& compute);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const ModelShape& shape() const;

  /// From now on the adapter learns, with an optimiser that has seen nothing. Not of a random one.
  Result<void> setAdapter(const Adapter& adapter);
  Result<void> setReference(const Adapter& adapter);
  /// How many rows of logits are in memory at a time from now on.
  void setChunk(std::int64_t rows);
  /// What was learned so far.
  Adapter adapter() const;
  /// All of them, as folders have them.
  std::vector<NamedWeights> weights() const;

  /// The logits behind the row's token `at`.
  Result<std::vector<float>> logits(const Row& row, std::int64_t at, Policy policy);
  Result<TokenScores> score(const Row& row,
                            const Targets& targets,
                            Policy policy,
                            bool entropies = false);

  /// Adds the gradient of the sum of -weight * logprob. @return that sum
  Result<double> learn(const Row& row, const Targets& targets, const std::vector<float>& weights);
  /// Adds the gradient of a loss, given by its slope in each logprob. `slope` is asked once.
  using Slope = std::function<Result<std::vector<float>>(const TokenScores& scores)>;
  Result<void> learn(const Row& row, const Targets& targets, const Slope& slope);

  /// One step of AdamW with what was added since the last one. @return the length of the gradient
  /// before it was clipped; when that is no finite number nothing is learned
  Result<double> step(const AdamOptions& options);
  /// Forgets what was added.
  void dropGradient();
  /// Of what learns, in the order of the parameters: for tests.
  std::vector<float> gradientForTest() const;
  std::vector<float> parametersForTest() const;
  void setParametersForTest(const std::vector<float>& numbers);

  /// What learns and the optimiser's memory, in one file that appears when it is whole. `note` is
  /// the caller's: where it stands.
  Result<void> saveState(const std::string& path, const std::string& note) const;
  /// @return the note; kInvalidArgument for a file that is not of such a model
  Result<std::string> loadState(const std::string& path);

  /// The most memory that the device held so far, in bytes; 0 where nobody counts.
  std::uint64_t peakBytes() const;

 private:
  class State;
  explicit Model(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace spindle::trainer
