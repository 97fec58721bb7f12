#pragma once

#include <filesystem>

namespace spindle::app {

/// Returns the folder of the running program, which also contains the programs built with it.
std::filesystem::path programFolder();

}  // namespace spindle::app
