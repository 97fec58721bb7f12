#include "wire/registry_name.h"

#include <array>

namespace spindle::wire {
namespace {

constexpr std::array<std::string_view, 2> kPrefixes = {"svc-registry-", "wandb-registry-"};

}  // namespace

std::string registryProject(std::string_view name) {
  return std::string(kPrefixes.front()).append(name);
}

std::optional<std::string_view> registryNameOfProject(std::string_view project) {
  for (const std::string_view prefix : kPrefixes) {
    if (project.starts_with(prefix) && project != prefix) return project.substr(prefix.size());
  }
  return std::nullopt;
}

}  // namespace spindle::wire
