#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "inference/catalogue_repository.h"

namespace spindle::app {

/// The model file that a catalogue begins with, absolute: what the setting names; when it is empty
/// `spindle-nano.gguf`, where it is beside the program, in `models` of the tree that the program
/// was built in, or in `models` of the working folder. Empty: none (or the setting says `none`).
std::string defaultModelFile(const std::filesystem::path& setting);

/// Puts the model of that file into a catalogue that nobody ever changed, under the file's name.
/// One that was taken out stays out. @return whether it is a new one
Result<bool> offerModel(inference::CatalogueRepository& catalogue, const std::string& file);

}  // namespace spindle::app
