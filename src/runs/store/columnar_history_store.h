#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "columnar/store/store.h"
#include "runs/history_store.h"

namespace spindle::runs {

/// Stores history in the embedded columnar store. A block is one row with the lines, and one row
/// per metric with its packed numbers: a reader of one metric does not read the others.
class ColumnarHistoryStore final : public HistoryStore {
 public:
  /// `family` is the id of historyFamily() in the store. The store must outlive this object.
  ColumnarHistoryStore(columnar::Store& store, columnar::FamilyId family)
      : store_(store), family_(family) {}

  Result<void> write(std::string_view project_id,
                     std::int64_t run_number,
                     Stream stream,
                     std::string_view block,
                     const FlatRows& rows,
                     Timestamp now) override;
  Result<std::string> lines(std::string_view project_id, std::string_view block) const override;
  Result<std::unordered_set<std::string>> blocksWith(
      const HistoryRange& place, const std::vector<std::string>& keys) const override;
  Result<std::vector<StoredSeries>> series(const HistoryRange& place,
                                           const std::string& key,
                                           std::int64_t min_step,
                                           std::int64_t max_step) const override;
  Result<void> remove(std::string_view project_id, std::int64_t run_number) override;

 private:
  columnar::Store& store_;
  const columnar::FamilyId family_;
};

}  // namespace spindle::runs
