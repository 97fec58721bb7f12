#pragma once

#include <string>

#include "evaluation/run_recorder.h"

namespace spindle::evaluation {

/// What templates and filters of automations are told of a finished run: a JSON object. `scores`
/// has every number of the output by its dotted path; a mean, and the share of what is true, stands
/// under the name of its score as well.
std::string finishedRunData(const FinishedRun& run);

}  // namespace spindle::evaluation
