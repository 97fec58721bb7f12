#include "trainer/model/model.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

#include <ATen/Parallel.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <dlfcn.h>
#include <malloc.h>

#include "trainer/kernels/parallel.h"
#include "trainer/model/model_state.h"

namespace spindle::trainer {
namespace {

constexpr int kLargestReused = 1 << 30;

/// Uses only our own threads (see inParallel()), none of the libraries. Makes malloc reuse freed
/// memory, because every step needs the same amount: getting it from the system, page by page,
/// costs as much as filling it.
void prepare(const Compute& compute) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): glibc writes one word, in every call the same value
  mallopt(M_MMAP_THRESHOLD, kLargestReused);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): as above
  mallopt(M_TRIM_THRESHOLD, kLargestReused);
  const int threads =
      compute.threads > 0 ? compute.threads : static_cast<int>(std::thread::hardware_concurrency());
  setThreads(compute.cuda ? 1 : threads);
  // The remaining LibTorch operations on a CPU are small: its threads would mostly wait.
  at::set_num_threads(compute.cuda ? std::max(1, threads) : 1);
  if (void* found = dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))
    reinterpret_cast<void (*)(int)>(found)(1);
}

at::Device deviceOf(const Compute& compute) {
  return at::Device(compute.cuda ? at::kCUDA : at::kCPU);
}

at::ScalarType typeOf(const Compute& compute) { return compute.half ? at::kBFloat16 : at::kFloat; }

}  // namespace

bool hasCuda() { return at::detail::getCUDAHooks().hasCUDA(); }

Compute defaultCompute() {
  Compute compute;
  compute.cuda = compute.half = hasCuda();
  return compute;
}

Model::Model(std::unique_ptr<State> state) : state_(std::move(state)) {}
Model::~Model() = default;

const ModelShape& Model::shape() const { return state_->network.shape(); }

Result<std::unique_ptr<Model>> Model::load(const WeightSource& source, const Compute& compute) {
  if (const std::string problem = problemOf(source.shape()); !problem.empty())
    return Error::invalidArgument("The model cannot be used: " + problem + ".");
  if (compute.cuda && !hasCuda()) return Error::unavailable("There is no CUDA device here.");
  prepare(compute);
  return guarded([&]() -> Result<std::unique_ptr<Model>> {
    const std::vector<Parameter> tensors =
        TRY(readTensors(source, deviceOf(compute), typeOf(compute)));
    return std::unique_ptr<Model>(new Model(std::make_unique<State>(
        source.shape(), compute, frequenciesOf(source.shape(), source.ropeDivisors()),
        assignWeights(source.shape(), tensors), ParameterSet())));
  });
}

Result<std::unique_ptr<Model>> Model::random(const ModelShape& shape,
                                             std::uint64_t seed,
                                             const Compute& compute) {
  if (const std::string problem = problemOf(shape); !problem.empty())
    return Error::invalidArgument("The model's shape is invalid: " + problem + ".");
  if (compute.cuda && !hasCuda()) return Error::unavailable("There is no CUDA device here.");
  prepare(compute);
  return guarded([&]() -> Result<std::unique_ptr<Model>> {
    ParameterSet parameters;
    const std::vector<Parameter> tensors =
        randomTensors(shape, seed, deviceOf(compute), typeOf(compute), parameters);
    return std::unique_ptr<Model>(
        new Model(std::make_unique<State>(shape, compute, frequenciesOf(shape, {}),
                                          assignWeights(shape, tensors), std::move(parameters))));
  });
}

Result<void> Model::setAdapter(const Adapter& adapter) {
  if (const std::string problem = problemOf(adapter, shape()); !problem.empty())
    return Error::invalidArgument("The adapter cannot be used: " + problem + ".");
  return guarded([&]() -> Result<void> {
    const std::vector<Parameter> tensors = state_->parameters.set(
        state_->tensorsOf(adapter), state_->network.device(), state_->network.type());
    state_->learner = state_->loraOf(adapter, tensors);
    state_->learner_template = adapter;
    return {};
  });
}

Result<void> Model::setReference(const Adapter& adapter) {
  if (const std::string problem = problemOf(adapter, shape()); !problem.empty())
    return Error::invalidArgument("The reference adapter cannot be used: " + problem + ".");
  return guarded([&]() -> Result<void> {
    std::vector<Parameter> tensors;
    for (const at::Tensor& tensor : state_->tensorsOf(adapter))
      tensors.push_back({tensor.to(state_->network.device(), state_->network.type()), {}});
    state_->reference = state_->loraOf(adapter, tensors);
    return {};
  });
}

Adapter Model::adapter() const {
  const c10::InferenceMode guard;
  Adapter adapter = state_->learner_template;
  const at::Tensor values = state_->parameters.values().to(at::kCPU);
  std::int64_t begin = 0;
  const auto take = [&](std::int64_t count) {
    begin += count;
    return floatsOf(values.narrow(0, begin - count, count));
  };
  const std::vector<Module> modules = modulesOf(shape());
  const auto rank = static_cast<std::int64_t>(adapter.rank);
  for (std::uint64_t layer = 0; layer < shape().layers; ++layer) {
    auto first = modules.begin();
    for (const int count : kFusedCounts) {
      for (auto module = first; module != first + count; ++module) {
        const auto found = adapter.pairs.find(moduleName(layer, module->name));
        std::vector<float> down = take(rank * module->in);
        if (found != adapter.pairs.end()) found->second.down = std::move(down);
      }
      for (auto module = first; module != first + count; ++module) {
        const auto found = adapter.pairs.find(moduleName(layer, module->name));
        std::vector<float> up = take(rank * module->out);
        if (found != adapter.pairs.end()) found->second.up = std::move(up);
      }
      first += count;
    }
  }
  return adapter;
}

std::vector<NamedWeights> Model::weights() const {
  const c10::InferenceMode guard;
  // Trainable weights are float32; frozen ones have the type that the device computes with.
  std::vector<NamedWeights> all;
  const std::vector<at::Tensor> tensors = flattenedWeights(shape(), state_->network.weights());
  const bool learning = state_->learner.empty() && !state_->parameters.empty();
  std::int64_t offset = 0;
  const std::vector<FusedTensor> pieces = fusedTensorsOf(shape());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (!tensors[i].defined()) continue;
    at::Tensor tensor = tensors[i];
    if (learning) {
      tensor = state_->parameters.values().narrow(0, offset, tensor.numel()).view(tensor.sizes());
      offset += tensor.numel();
    }
    std::int64_t row = 0;
    for (std::size_t part = 0; part < pieces[i].names.size(); ++part) {
      const std::uint64_t rows = pieces[i].rows[part];
      std::vector<std::uint64_t> shape = {rows};
      if (pieces[i].columns > 0) shape.push_back(pieces[i].columns);
      all.push_back({pieces[i].names[part], std::move(shape),
                     floatsOf(tensor.narrow(0, row, static_cast<std::int64_t>(rows)))});
      row += static_cast<std::int64_t>(rows);
    }
  }
  return all;
}

}  // namespace spindle::trainer
