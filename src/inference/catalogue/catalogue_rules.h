#pragma once

#include <string_view>

#include "base/core/result.h"
#include "inference/catalogue/catalogue.h"

namespace spindle::inference {

/// The patterns of model and upstream names, as the schemas document them. The functions below
/// check the remaining rules.
inline constexpr std::string_view kModelNamePattern = "^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,199}$";
inline constexpr std::string_view kUpstreamNamePattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$";

/// Returns true for a valid model name: it matches the pattern, is no artifact name, and survives
/// the normalization of a URL path (unlike `a//b` or `a/../b`).
bool isModelName(std::string_view name);
bool isUpstreamName(std::string_view name);

/// Completes the targets of a model. A model with a file has the local engine as a target; if it is
/// not listed, it is inserted first. A model without a file must not list it. Does not check
/// whether the upstreams exist.
/// @return kInvalidSchema if there is no target, if the engine is listed without a file, and for
/// duplicate targets.
Result<void> completeTargets(Model& model);

}  // namespace spindle::inference
