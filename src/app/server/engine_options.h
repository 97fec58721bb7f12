#pragma once

#include "config/settings.h"
#include "inference/engines/engine_supervisor.h"
#include "storage/folder/data_folder.h"

namespace spindle::app {

/// Returns the engine options of the settings. Defaults: the program `spindle-engine` next to this
/// one, and half of the memory.
inference::EngineOptions engineOptions(const config::InferenceSettings& settings,
                                       const storage::DataFolder& folder);

}  // namespace spindle::app
