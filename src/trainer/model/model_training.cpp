#include <cmath>
#include <string>
#include <utility>
#include <vector>

#if __has_include(<c10/cuda/CUDACachingAllocator.h>) && __has_include(<cuda_runtime_api.h>)
#include <c10/cuda/CUDACachingAllocator.h>
#define SPINDLE_COUNTS_CUDA 1
#endif

#include "base/core/check.h"
#include "trainer/model/model.h"
#include "trainer/model/model_state.h"
#include "weights/formats/gguf_file.h"
#include "weights/formats/gguf_writer.h"
#include "weights/formats/number_format.h"

namespace spindle::trainer {
namespace {

constexpr std::string_view kKind = "spindle.state";
constexpr std::string_view kSteps = "spindle.state.steps";
constexpr std::string_view kNote = "spindle.state.note";

/// Returns what is wrong with a row, before LibTorch would fail on it.
std::string problemOf(const Row& row, const Targets& targets, const ModelShape& shape) {
  if (row.tokens.empty() || targets.at.empty()) return "there is nothing to learn from";
  if (row.positions.size() != row.tokens.size() || targets.tokens.size() != targets.at.size())
    return "its parts differ in length";
  const auto vocabulary = static_cast<std::int64_t>(shape.vocabulary);
  const auto inside = [](std::int64_t number, std::int64_t end) {
    return number >= 0 && number < end;
  };
  for (const auto* tokens : {&row.tokens, &targets.tokens}) {
    for (const std::int64_t token : *tokens) {
      if (!inside(token, vocabulary))
        return "the token " + std::to_string(token) + " is not in the vocabulary";
    }
  }
  for (const std::int64_t at : targets.at) {
    if (!inside(at, static_cast<std::int64_t>(row.tokens.size()))) return "a target is outside";
  }
  std::int64_t end = 0;
  for (const Span& span : row.spans) {
    if (span.begin != end || span.length <= 0) return "its spans do not cover it";
    if (span.parent_length < 0 || span.parent_begin < 0 ||
        span.parent_begin + span.parent_length > span.begin)
      return "a span's parent is not before it";
    end += span.length;
  }
  if (end != static_cast<std::int64_t>(row.tokens.size())) return "its spans do not cover it";
  return {};
}

}  // namespace

Result<std::vector<float>> Model::logits(const Row& row, std::int64_t at, Policy policy) {
  if (const std::string problem = problemOf(row, {{at}, {0}}, shape()); !problem.empty())
    return Error::invalidArgument("The row cannot be used: " + problem + ".");
  return guarded([&]() -> Result<std::vector<float>> {
    const auto pass = state_->network.forward(row, {at}, state_->loraOf(policy), false);
    return floatsOf(at::mm(Network::hidden(*pass), state_->network.head().value.t()));
  });
}

Result<TokenScores> Model::score(const Row& row,
                                 const Targets& targets,
                                 Policy policy,
                                 bool entropies) {
  if (const std::string problem = problemOf(row, targets, shape()); !problem.empty())
    return Error::invalidArgument("The row cannot be used: " + problem + ".");
  return guarded([&]() -> Result<TokenScores> {
    const Network& network = state_->network;
    const auto pass = network.forward(row, targets.at, state_->loraOf(policy), false);
    const Scores scores = scoresOf(Network::hidden(*pass), network.head().value,
                                   network.toDevice(targets.tokens), network.chunk(), entropies);
    return TokenScores{floatsOf(scores.logprobs),
                       entropies ? floatsOf(scores.entropies) : std::vector<float>()};
  });
}

Result<double> Model::learn(const Row& row,
                            const Targets& targets,
                            const std::vector<float>& weights) {
  if (const std::string problem = problemOf(row, targets, shape()); !problem.empty())
    return Error::invalidArgument("The row cannot be used: " + problem + ".");
  SPINDLE_ASSERT(!state_->parameters.empty(), "something learns");
  SPINDLE_ASSERT(weights.size() == targets.at.size(), "every target has a weight");
  return guarded([&]() -> Result<double> {
    const Network& network = state_->network;
    const auto pass = network.forward(row, targets.at, state_->loraOf(Policy::kLearner), true);
    const WeightedLoss done =
        weightedLoss(Network::hidden(*pass), network.head(), network.toDevice(targets.tokens),
                     network.toDevice(weights), network.chunk());
    network.backward(*pass, done.gradient);
    return done.loss;
  });
}

Result<void> Model::learn(const Row& row, const Targets& targets, const Slope& slope) {
  if (const std::string problem = problemOf(row, targets, shape()); !problem.empty())
    return Error::invalidArgument("The row cannot be used: " + problem + ".");
  SPINDLE_ASSERT(!state_->parameters.empty(), "something learns");
  return guarded([&]() -> Result<void> {
    const Network& network = state_->network;
    const auto pass = network.forward(row, targets.at, state_->loraOf(Policy::kLearner), true);
    const at::Tensor tokens = network.toDevice(targets.tokens);
    const Scores scores =
        scoresOf(Network::hidden(*pass), network.head().value, tokens, network.chunk(), true);
    const std::vector<float> slopes =
        TRY(slope({floatsOf(scores.logprobs), floatsOf(scores.entropies)}));
    network.backward(*pass, hiddenGradient(Network::hidden(*pass), network.head(), tokens,
                                           network.toDevice(slopes), network.chunk()));
    return {};
  });
}

Result<double> Model::step(const AdamOptions& options) {
  SPINDLE_ASSERT(!state_->parameters.empty(), "something learns");
  return guarded([&]() -> Result<double> { return state_->parameters.step(options); });
}

void Model::setChunk(std::int64_t rows) { state_->network.setChunk(rows); }

void Model::dropGradient() {
  const c10::InferenceMode guard;
  state_->parameters.dropGradient();
}

std::vector<float> Model::gradientForTest() const {
  return floatsOf(state_->parameters.gradients());
}

std::vector<float> Model::parametersForTest() const {
  return floatsOf(state_->parameters.values());
}

void Model::setParametersForTest(const std::vector<float>& numbers) {
  const c10::InferenceMode guard;
  state_->parameters.values().copy_(tensorOf(numbers, {static_cast<std::int64_t>(numbers.size())}));
  state_->parameters.refresh();
}

Result<void> Model::saveState(const std::string& path, const std::string& note) const {
  const ParameterSet& parameters = state_->parameters;
  weights::GgufWriter writer;
  writer.addText("general.type", kKind);
  writer.addText(kSteps, std::to_string(parameters.steps()));
  writer.addText(kNote, note);
  const auto add = [&writer](const char* name, const at::Tensor& tensor) {
    writer.addTensor(
        {name, {static_cast<std::uint64_t>(tensor.numel())}, weights::TensorType::kF32},
        [tensor](const weights::ByteSink& sink) {
          return sink(weights::encoded(weights::TensorType::kF32, floatsOf(tensor)));
        });
  };
  add("values", parameters.values());
  add("first", parameters.first());
  add("second", parameters.second());
  return writer.writeTo(path);
}

Result<std::string> Model::loadState(const std::string& path) {
  const weights::GgufFile file = TRY(weights::GgufFile::open(path));
  ParameterSet& parameters = state_->parameters;
  const std::string steps(file.text(kSteps).value_or(""));
  const std::pair<const char*, const at::Tensor*> all[] = {{"values", &parameters.values()},
                                                           {"first", &parameters.first()},
                                                           {"second", &parameters.second()}};
  if (file.text("general.type") != kKind || steps.empty() ||
      steps.find_first_not_of("0123456789") != std::string::npos)
    return Error::invalidArgument("The saved state cannot be used: it is not a state file.");
  for (const auto& [name, tensor] : all) {
    const weights::StoredTensor* found = file.find(name);
    if (found == nullptr || found->info.type != weights::TensorType::kF32 ||
        weights::elementsOf(found->info.shape) != static_cast<std::uint64_t>(tensor->numel()))
      return Error::invalidArgument("The saved state cannot be used: it belongs to another model.");
  }
  return guarded([&]() -> Result<std::string> {
    for (const auto& [name, tensor] : all) {
      const std::vector<float> numbers =
          weights::floatsOf(weights::TensorType::kF32, file.find(name)->data);
      tensor->copy_(tensorOf(numbers, {tensor->numel()}));
    }
    parameters.setSteps(std::stoll(steps));
    parameters.dropGradient();
    parameters.refresh();
    return std::string(file.text(kNote).value_or(""));
  });
}

std::uint64_t Model::peakBytes() const {
#ifdef SPINDLE_COUNTS_CUDA
  if (state_->network.device().is_cuda()) {
    return static_cast<std::uint64_t>(
        c10::cuda::CUDACachingAllocator::getDeviceStats(0).allocated_bytes[0].peak);
  }
#endif
  return 0;
}

}  // namespace spindle::trainer
