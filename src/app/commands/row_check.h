#pragma once

#include <string>

#include "backup/folder_check.h"
#include "config/settings.h"

namespace spindle::app {

/// Opens the columnar store of a data folder as the server does, with recovery, and searches the
/// rows that the metadata refers to. Changes the folder: use it only on copies. Adds the findings
/// to the report. A call can be deleted while an annotation queue refers to it, so a missing call
/// is a note, not a problem.
void checkRows(const config::Settings& settings,
               const std::string& data_folder,
               backup::CheckReport& report);

}  // namespace spindle::app
