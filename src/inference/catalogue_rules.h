#pragma once

#include <string_view>

#include "base/result.h"
#include "inference/catalogue.h"

namespace spindle::inference {

/// Names of models and upstreams, as schemas document them; the functions below hold the rest.
inline constexpr std::string_view kModelNamePattern = "^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,199}$";
inline constexpr std::string_view kUpstreamNamePattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$";

/// A name by which a request can ask for a model: the pattern; no artifact (those name themselves);
/// nothing that a path of a URL would lose, such as `a//b` or `a/../b`.
bool isModelName(std::string_view name);
bool isUpstreamName(std::string_view name);

/// Brings the targets in order: a model with a file has the engine as one of them, first when it is
/// not named, and one without has not. Does not know which upstreams there are.
/// @return kInvalidSchema: nothing that could answer, the engine without a file, the same target
/// twice.
Result<void> completeTargets(Model& model);

}  // namespace spindle::inference
