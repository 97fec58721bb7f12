#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace spindle::wire {

/// A registry as it stands where a path has a project, in the neutral spelling:
/// `svc-registry-<name>`.
std::string registryProject(std::string_view name);

/// The name of the registry that a project of a path means, in either spelling; nothing for other
/// projects. The view is of the argument.
std::optional<std::string_view> registryOfProject(std::string_view project);

}  // namespace spindle::wire
