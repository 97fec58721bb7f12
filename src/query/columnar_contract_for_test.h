#pragma once

#include <utility>

#include <gtest/gtest.h>

#include "columnar/testing/store_for_test.h"
#include "query/store_contract_for_test.h"

namespace spindle::query {

/// Opens `ColumnarStore`, which implements `Store` in the embedded columnar store with one family.
template <class Store, class ColumnarStore>
class ColumnarForContract final : public StoreForContract<Store> {
 public:
  explicit ColumnarForContract(columnar::Family family)
      : columnar_({std::move(family)}), store_(*columnar_, 0) {}

  Store& store() override { return store_; }
  void flush() override { ASSERT_TRUE(columnar_->flush()); }

 private:
  columnar::StoreForTest columnar_;
  ColumnarStore store_;
};

}  // namespace spindle::query
