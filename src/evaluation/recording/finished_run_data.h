#pragma once

#include <string>

#include "evaluation/recording/run_recorder.h"

namespace spindle::evaluation {

/// Returns the event data of a finished run for templates and filters of automations: a JSON
/// object. `scores` contains every number of the output by its dotted path. A mean or a fraction of
/// true values is also available under the name of its score.
std::string finishedRunData(const FinishedRun& run);

}  // namespace spindle::evaluation
