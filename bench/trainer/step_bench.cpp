// Measures one training step: LoRA on all projections of a model with random weights, rows of
// packed sequences. Prints one line of JSON. compare.py compares it with step.py; gpu.py runs it on
// a GPU.
//
//   trainer_step SHAPE ROWS LENGTH RANK STEPS THREADS [packed] [cuda] [recompute]
//   trainer_step check      compares the gradient on a GPU with that on the CPU

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "trainer/model/model.h"

namespace {

using namespace spindle::trainer;  // NOLINT(google-build-using-namespace): the program itself

ModelShape shapeOf(const std::string& name) {
  ModelShape shape;
  shape.family = spindle::weights::Family::kQwen3;
  shape.norm_epsilon = 1e-6;
  shape.rope_base = 1e6;
  shape.context = 4096;
  shape.tied = true;
  const auto set = [&shape](std::uint64_t vocabulary, std::uint64_t width, std::uint64_t inner,
                            std::uint64_t layers, std::uint64_t heads, std::uint64_t kv_heads,
                            std::uint64_t head_width) {
    shape.vocabulary = vocabulary;
    shape.width = width;
    shape.inner_width = inner;
    shape.layers = layers;
    shape.heads = heads;
    shape.kv_heads = kv_heads;
    shape.head_width = head_width;
  };
  if (name == "nano") set(2048, 384, 1024, 7, 6, 2, 64);
  if (name == "100m") set(32000, 768, 2048, 12, 12, 4, 64);
  if (name == "qwen3-0.6b") set(151936, 1024, 3072, 28, 16, 8, 128);
  return shape;
}

class RandomWeights final : public WeightSource {
 public:
  explicit RandomWeights(const ModelShape& shape) : shape_(shape) {}
  const ModelShape& shape() const override { return shape_; }
  bool has(const std::string& name) const override {
    return name.find(".bias") == std::string::npos;
  }
  spindle::Result<std::vector<float>> read(const std::string& name) const override {
    std::uint64_t count = shape_.width;
    if (name.ends_with("_norm.weight")) count = shape_.head_width;
    if (name.find("embed_tokens") != std::string::npos) count = shape_.vocabulary * shape_.width;
    for (const Module& module : modulesOf(shape_)) {
      if (name.find(module.name) != std::string::npos)
        count = static_cast<std::uint64_t>(module.out * module.in);
    }
    if (name.find("norm") != std::string::npos) return std::vector<float>(count, 1);
    std::vector<float> numbers(count);
    std::uint32_t state = 12345;
    for (float& number : numbers) {
      state = state * 1664525 + 1013904223;
      number = (static_cast<float>(state >> 8) * 0x1p-24F - 0.5F) * 0.06F;
    }
    return numbers;
  }

 private:
  const ModelShape shape_;
};

/// Lengths of the sequences of a packed row, in sixteenths. The same as in step.py.
constexpr std::array<std::uint64_t, 4> kPacked = {2, 4, 3, 7};

/// Rows of one sequence each, or of several packed ones; every token except the first of each is a
/// target.
void fill(std::uint64_t rows,
          std::uint64_t length,
          bool packed,
          const ModelShape& shape,
          Row& row,
          Targets& targets) {
  std::vector<std::uint64_t> sizes = {length};
  if (packed) {
    sizes.clear();
    for (const std::uint64_t share : kPacked) sizes.push_back(length * share / 16);
  }
  std::mt19937_64 random(1);
  for (std::uint64_t i = 0; i < rows * sizes.size(); ++i) {
    std::vector<std::int64_t> tokens;
    for (std::uint64_t t = 0; t < sizes[i % sizes.size()]; ++t)
      tokens.push_back(static_cast<std::int64_t>(random() % shape.vocabulary));
    const auto base = static_cast<std::int64_t>(row.tokens.size());
    for (std::size_t t = 1; t < tokens.size(); ++t) {
      targets.at.push_back(base + static_cast<std::int64_t>(t) - 1);
      targets.tokens.push_back(tokens[t]);
    }
    append(row, tokens);
  }
}

/// Floating-point operations of a step: the forward product and the input gradient of every matrix.
/// Base weights have no gradient. Recomputation of layers is not counted.
double operationsOf(const ModelShape& shape,
                    std::uint64_t rank,
                    const Row& row,
                    const Targets& targets) {
  double matrices = 0;
  double adapters = 0;
  for (const Module& module : modulesOf(shape)) {
    matrices += static_cast<double>(module.out * module.in);
    adapters += static_cast<double>(rank) * static_cast<double>(module.out + module.in);
  }
  const auto layers = static_cast<double>(shape.layers);
  const auto tokens = static_cast<double>(row.tokens.size());
  double looks = 0;
  for (const Span& span : row.spans)
    looks += static_cast<double>(span.length) * static_cast<double>(span.length + 1) / 2;
  const double attention =
      12 * looks * static_cast<double>(shape.heads * shape.head_width) * layers;
  const double head = 4 * static_cast<double>(targets.at.size()) *
                      static_cast<double>(shape.vocabulary * shape.width);
  return tokens * layers * (4 * matrices + 6 * adapters) + attention + head;
}

/// Returns the gradient of one step, with a nonzero adapter, on rows of which some share a prefix.
spindle::Result<std::vector<float>> gradientOn(const Compute& compute) {
  ModelShape shape = shapeOf("nano");
  shape.layers = 3;
  auto model = Model::load(RandomWeights(shape), compute);
  if (!model) return model.error();
  Adapter adapter = createAdapter(shape, {.rank = 8, .alpha = 16});
  std::mt19937_64 random(2);
  for (auto& [module, pair] : adapter.pairs) {
    for (float& number : pair.up) number = (static_cast<float>(random() % 2001) - 1000) * 2e-5F;
  }
  if (const auto set = (*model)->setAdapter(adapter); !set) return set.error();
  Row row;
  Targets targets;
  fill(2, 192, true, shape, row, targets);
  const Span parent = row.spans.front();
  for (int i = 0; i < 2; ++i) {
    const auto begin = static_cast<std::int64_t>(row.tokens.size());
    for (std::int64_t t = 0; t < 40; ++t) {
      row.tokens.push_back(static_cast<std::int64_t>(random() % shape.vocabulary));
      row.positions.push_back(parent.length + t);
      if (t == 0) continue;
      targets.at.push_back(begin + t - 1);
      targets.tokens.push_back(row.tokens.back());
    }
    row.spans.push_back({.begin = begin,
                         .length = 40,
                         .parent_begin = parent.begin,
                         .parent_length = parent.length});
  }
  const std::vector<float> weights(targets.at.size(), 1 / static_cast<float>(targets.at.size()));
  const auto loss = (*model)->learn(row, targets, weights);
  if (!loss) return loss.error();
  std::printf("loss %.5f\n", *loss);
  return (*model)->gradientForTest();
}

int fail(const std::string& why) {
  std::fprintf(stderr, "trainer_step: %s\n", why.c_str());
  return 1;
}

/// Compares the direction of the gradient on the GPU (16 bits) with that on the CPU (32 bits).
int check() {
  const auto exact = gradientOn({.threads = 4});
  if (!exact) return fail(exact.error().message());
  const auto rough = gradientOn({.cuda = true, .half = true});
  if (!rough) return fail(rough.error().message());
  double together = 0;
  double a = 0;
  double b = 0;
  for (std::size_t i = 0; i < exact->size(); ++i) {
    const auto x = static_cast<double>((*exact)[i]);
    const auto y = static_cast<double>((*rough)[i]);
    together += x * y;
    a += x * x;
    b += y * y;
  }
  const double cosine = together / std::sqrt(a * b);
  std::printf("cosine %.5f, lengths %.5g and %.5g\n", cosine, std::sqrt(a), std::sqrt(b));
  return cosine > 0.995 ? 0 : fail("the gradients differ");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "check") return check();
  if (argc < 7) return fail("SHAPE ROWS LENGTH RANK STEPS THREADS [packed] [cuda] [recompute]");
  const ModelShape shape = shapeOf(argv[1]);
  const auto number = [&argv](int at) { return std::strtoull(argv[at], nullptr, 10); };
  Compute compute;
  compute.threads = static_cast<int>(number(6));
  compute.recompute = false;
  bool packed = false;
  for (int i = 7; i < argc; ++i) {
    if (std::string(argv[i]) == "packed") packed = true;
    if (std::string(argv[i]) == "cuda") compute.cuda = compute.half = true;
    if (std::string(argv[i]) == "recompute") compute.recompute = true;
  }
  if (compute.cuda) compute.chunk = 4096;
  auto model = Model::load(RandomWeights(shape), compute);
  if (!model) return fail(model.error().message());
  const std::uint64_t rank = number(4);
  const auto set = (*model)->setAdapter(createAdapter(shape, {.rank = rank, .alpha = 32}));
  if (!set) return fail(set.error().message());
  Row row;
  Targets targets;
  fill(number(2), number(3), packed, shape, row, targets);
  const std::vector<float> weights(targets.at.size(), 1 / static_cast<float>(targets.at.size()));

  std::vector<double> seconds;
  double loss = 0;
  const std::uint64_t steps = number(5);
  for (std::uint64_t i = 0; i < steps + 2; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const auto learned = (*model)->learn(row, targets, weights);
    if (!learned) return fail(learned.error().message());
    // The step reads the gradient norm and so waits for the device.
    const auto stepped = (*model)->step({.learning_rate = 1e-4, .clip = 1});
    if (!stepped) return fail(stepped.error().message());
    loss = *learned;
    const double taken =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (i >= 2) seconds.push_back(taken);
  }
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  std::printf(
      "{\"shape\":\"%s\",\"tokens\":%zu,\"seconds\":%.5f,\"tokens_per_second\":%.1f,"
      "\"tera_operations_per_second\":%.3f,\"loss\":%.4f,\"peak_bytes\":%llu}\n",
      argv[1], row.tokens.size(), median, static_cast<double>(row.tokens.size()) / median,
      operationsOf(shape, rank, row, targets) / median / 1e12, loss,
      static_cast<unsigned long long>((*model)->peakBytes()));
  return 0;
}
