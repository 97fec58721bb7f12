#pragma once

#include <functional>
#include <memory>

#include <gtest/gtest.h>

#include "base/core/log.h"

namespace spindle::query {

/// An empty store of one implementation of the interface `Store`, with everything that it needs.
template <class Store>
class StoreForContract {
 public:
  virtual ~StoreForContract() = default;
  virtual Store& store() = 0;
  /// Moves the rows in memory to disk, where the implementation distinguishes them.
  virtual void flush() {}
};

/// The fixture of the tests that every implementation of the interface `Store` must pass. The tests
/// are in a header. The test program of an implementation includes it in one file and instantiates
/// the suite with a function that opens an empty store.
template <class Store>
class StoreContract
    : public ::testing::TestWithParam<std::function<std::unique_ptr<StoreForContract<Store>>()>> {
 protected:
  static void SetUpTestSuite() { configureLogging(LogLevel::kError, LogFormat::kText); }

  Store& store() { return opened_->store(); }
  void flush() { opened_->flush(); }
  /// Runs a check twice: on the rows in memory, and on the rows on disk.
  template <class Check>
  void beforeAndAfterAFlush(const Check& check) {
    check();
    flush();
    check();
  }

 private:
  const std::unique_ptr<StoreForContract<Store>> opened_ = this->GetParam()();
};

}  // namespace spindle::query
