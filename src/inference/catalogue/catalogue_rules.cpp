#include "inference/catalogue/catalogue_rules.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "base/core/ascii.h"

namespace spindle::inference {
namespace {

constexpr std::size_t kMostModelName = 200;
constexpr std::size_t kMostUpstreamName = 64;
/// The part of an artifact URI after the product name, with any number of slashes.
constexpr std::string_view kArtifactUri = "-artifact:/";

bool isWord(std::string_view name, std::size_t most, std::string_view others) {
  if (name.empty() || name.size() > most || !isLetterOrDigit(name.front())) return false;
  return std::ranges::all_of(name, [others](char c) {
    return isLetterOrDigit(c) || others.find(c) != std::string_view::npos;
  });
}

Error invalidTargets(std::vector<LocStep> place, std::string message) {
  Violation violation;
  violation.type = "value_error";
  violation.loc = {LocStep("body")};
  violation.loc.insert(violation.loc.end(), place.begin(), place.end());
  violation.msg = std::move(message);
  return Error::invalid({std::move(violation)});
}

}  // namespace

bool isModelName(std::string_view name) {
  if (!isWord(name, kMostModelName, "._:/@-")) return false;
  if (name.find(kArtifactUri) != std::string_view::npos) return false;
  while (true) {
    const std::size_t slash = name.find('/');
    const std::string_view step = name.substr(0, slash);
    if (step.empty() || step == "." || step == "..") return false;
    if (slash == std::string_view::npos) return true;
    name.remove_prefix(slash + 1);
  }
}

bool isUpstreamName(std::string_view name) { return isWord(name, kMostUpstreamName, "._-"); }

Result<void> completeTargets(Model& model) {
  const auto is_engine = [](const Target& target) { return target.upstream.empty(); };
  const bool has_engine = std::ranges::any_of(model.targets, is_engine);
  if (model.hasFile() && !has_engine) {
    model.targets.insert(model.targets.begin(), Target{});
  }
  if (model.targets.empty()) {
    return invalidTargets({LocStep("targets")}, "A model needs a file or an upstream");
  }
  for (std::size_t i = 0; i < model.targets.size(); ++i) {
    const Target& target = model.targets[i];
    const auto at = static_cast<std::int64_t>(i);
    if (!model.hasFile() && is_engine(target)) {
      return invalidTargets({LocStep("targets"), LocStep(at), LocStep("upstream")},
                            "A model without a file cannot have the engine as a target");
    }
    for (std::size_t j = 0; j < i; ++j) {
      const Target& other = model.targets[j];
      if (other.upstream == target.upstream && other.model == target.model) {
        return invalidTargets({LocStep("targets"), LocStep(at)}, "This target is named twice");
      }
    }
    if (is_engine(target) && !target.model.empty()) {
      return invalidTargets({LocStep("targets"), LocStep(at), LocStep("model")},
                            "The engine as a target must not have a model name");
    }
  }
  return {};
}

}  // namespace spindle::inference
