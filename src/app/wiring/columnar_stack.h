#pragma once

#include <memory>

#include "app/wiring/identity_stack.h"
#include "app/wiring/stack_context.h"
#include "columnar/journal/family.h"
#include "columnar/store/store.h"
#include "columnar/store/store_hold.h"

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

/// Opens the columnar store of a data folder with all its families.
/// @throws std::runtime_error with a message for the operator.
std::unique_ptr<columnar::Store> openColumnarStore(const config::Settings& settings,
                                                   const storage::DataFolder& folder,
                                                   MetricRegistry& metrics);

/// The columnar store, in which several areas have tables. All arguments must outlive this object.
class ColumnarStack {
 public:
  /// @throws std::runtime_error with a message for the operator.
  ColumnarStack(const StackContext& context, IdentityStack& identity);

  columnar::Store& store() { return *store_; }

  /// Keeps the files of the store unchanged for copying; see columnar::Store::hold().
  Result<std::unique_ptr<columnar::StoreHold>> hold() { return store_->hold(); }

  /// Deletes the data of deleted projects.
  void runMaintenance();

 private:
  IdentityStack& identity_;
  std::unique_ptr<columnar::Store> store_;
};

}  // namespace spindle::app
