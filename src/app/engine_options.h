#pragma once

#include "config/settings.h"
#include "inference/engine_supervisor.h"
#include "storage/data_folder.h"

namespace spindle::app {

/// How engines run on this machine, as the settings say: the program beside this one and half of
/// the memory where they say nothing.
inference::EngineOptions engineOptions(const config::InferenceSettings& settings,
                                       const storage::DataFolder& folder);

}  // namespace spindle::app
