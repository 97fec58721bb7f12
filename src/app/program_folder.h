#pragma once

#include <filesystem>

namespace spindle::app {

/// The folder of the program that runs: what was built or installed with it is there as well.
std::filesystem::path programFolder();

}  // namespace spindle::app
