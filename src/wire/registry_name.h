#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spindle::wire {

/// Returns the name that stands for a registry in the project part of a path, in the neutral
/// spelling: `svc-registry-<name>`.
std::string registryProject(std::string_view name);

/// Returns the registry name in the project part of a path, in either spelling, or nothing if the
/// part names an ordinary project. The returned view points into the argument.
std::optional<std::string_view> registryNameOfProject(std::string_view project);

}  // namespace spindle::wire
