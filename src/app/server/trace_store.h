#pragma once

#include <vector>

#include "columnar/journal/family.h"
#include "columnar/store/store.h"
#include "config/settings.h"
#include "storage/folder/data_folder.h"

namespace spindle::app {

/// Positions of the table families in the columnar store. Append new families at the end.
enum FamilyIndex : columnar::FamilyId {
  kCalls,
  kFeedback,
  kSpans,
  kRunHistory,
  kInferenceUsage,
  kOtelResources
};

/// Returns the families of the columnar store, in the order of FamilyIndex.
std::vector<columnar::Family> traceFamilies();

/// Returns the options of the columnar store of a data folder.
columnar::StoreOptions traceStoreOptions(const config::Settings& settings,
                                         const storage::DataFolder& folder);

}  // namespace spindle::app
