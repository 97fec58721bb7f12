#pragma once

#include <memory>
#include <vector>

#include "base/core/metrics.h"
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
std::vector<columnar::Family> columnarFamilies();

/// Opens the columnar store of a data folder with all its families.
/// @throws std::runtime_error with a message for the operator.
std::unique_ptr<columnar::Store> openColumnarStore(const config::Settings& settings,
                                                   const storage::DataFolder& folder,
                                                   MetricRegistry& metrics);

}  // namespace spindle::app
