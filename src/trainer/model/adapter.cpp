#include "trainer/model/adapter.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string_view>

namespace spindle::trainer {
namespace {

bool isTarget(const LoraOptions& options, std::string_view module) {
  return options.targets.empty() ||
         std::any_of(options.targets.begin(), options.targets.end(),
                     [module](const std::string& target) { return module.ends_with(target); });
}

}  // namespace

Adapter createAdapter(const ModelShape& shape, const LoraOptions& options) {
  Adapter adapter{.rank = options.rank, .alpha = options.alpha, .pairs = {}};
  std::uint64_t seed = options.seed;
  for (std::uint64_t layer = 0; layer < shape.layers; ++layer) {
    for (const Module& module : modulesOf(shape)) {
      // Each module has its own generator, like in weights::newAdapter(): its numbers do not depend
      // on the other targets.
      std::mt19937_64 random(seed++);
      if (!isTarget(options, module.name)) continue;
      Adapter::Pair& pair = adapter.pairs[moduleName(layer, module.name)];
      const double bound = 1 / std::sqrt(static_cast<double>(module.in));
      pair.down.resize(options.rank * static_cast<std::size_t>(module.in));
      for (float& number : pair.down) {
        // The standard distributions differ between libraries; the generator does not.
        const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
        number = static_cast<float>((2 * unit - 1) * bound);
      }
      pair.up.assign(options.rank * static_cast<std::size_t>(module.out), 0);
    }
  }
  return adapter;
}

std::string problemOf(const Adapter& adapter, const ModelShape& shape) {
  if (adapter.rank == 0) return "its rank is 0";
  if (adapter.pairs.empty()) return "it adapts nothing";
  std::set<std::string> known;
  for (std::uint64_t layer = 0; layer < shape.layers; ++layer) {
    for (const Module& module : modulesOf(shape)) {
      const std::string name = moduleName(layer, module.name);
      known.insert(name);
      const auto found = adapter.pairs.find(name);
      if (found == adapter.pairs.end()) continue;
      if (found->second.down.size() != adapter.rank * static_cast<std::size_t>(module.in) ||
          found->second.up.size() != adapter.rank * static_cast<std::size_t>(module.out))
        return name + " does not have the size of the base model's matrix";
    }
  }
  for (const auto& [name, pair] : adapter.pairs) {
    if (!known.contains(name)) return "the base model has no " + name;
  }
  return {};
}

}  // namespace spindle::trainer
