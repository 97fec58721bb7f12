#pragma once

#include <string>

#include "backup/take_backup.h"

namespace spindle::app {

/// Copies the trace store of a data folder that a server uses to `target`, a folder that is created
/// in place of an older copy. The copy opens as the store was at one moment.
/// @throws std::runtime_error with a message for the operator, also when the disk has too little
/// space.
void copyTraces(const std::string& data_folder,
                const std::string& target,
                backup::DataFolderHold& holder);

}  // namespace spindle::app
