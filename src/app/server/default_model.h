#pragma once

#include <filesystem>
#include <string>

#include "base/core/result.h"
#include "inference/catalogue/catalogue_repository.h"

namespace spindle::app {

/// Returns the absolute path of the model file in a new catalogue: the file of the setting. If the
/// setting is empty, `spindle-nano.gguf` next to the program, in `share/spindle` of its
/// installation, in `models` of the source tree that the program was built in, or in `models` of
/// the working folder. Returns an empty path when no file exists or the setting is `none`.
std::string defaultModelFile(const std::filesystem::path& setting);

/// Adds the model of the file to a catalogue that was never changed, under the file's name. A
/// removed model is not added again. @return true if the model was added
Result<bool> addDefaultModel(inference::CatalogueRepository& catalogue, const std::string& file);

}  // namespace spindle::app
