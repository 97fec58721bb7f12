#pragma once

#include <string>

#include "backup/folder_check.h"
#include "config/settings.h"

namespace spindle::app {

/// Opens the columnar store of a data folder the way the server does, with recovery, and looks up
/// the rows that the metadata refers to. Changes the folder: for copies only. Adds what it finds to
/// the report. Calls may be deleted while an annotation queue refers to them, so a reference that
/// leads nowhere is a note.
void checkRows(const config::Settings& settings,
               const std::string& data_folder,
               backup::CheckReport& report);

}  // namespace spindle::app
