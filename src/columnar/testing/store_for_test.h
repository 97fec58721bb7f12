#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/core/folder_for_test.h"
#include "base/core/metrics.h"
#include "columnar/store/store.h"

namespace spindle::columnar {

using spindle::FolderForTest;

/// A store in a temporary folder that the destructor removes, for tests.
class StoreForTest {
 public:
  /// Ignores the folder of the options.
  explicit StoreForTest(std::vector<Family> families, StoreOptions options = {});
  StoreForTest(const StoreForTest&) = delete;
  StoreForTest& operator=(const StoreForTest&) = delete;

  Store& operator*() { return *store_; }
  Store* operator->() { return store_.get(); }
  MetricRegistry& metrics() { return metrics_; }
  const StoreOptions& options() const { return options_; }

  /// Closes the store and opens it again, with these families if any are given.
  void reopen(std::vector<Family> families = {});
  void close() { store_.reset(); }

 private:
  FolderForTest folder_;
  MetricRegistry metrics_;
  std::vector<Family> families_;
  StoreOptions options_;
  std::unique_ptr<Store> store_;
};

}  // namespace spindle::columnar
