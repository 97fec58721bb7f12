#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/migrate/trace_rows.h"
#include "columnar/store/store.h"

namespace spindle::app {

/// The rows of an embedded trace store. Positions are row numbers, which never change.
class ColumnarTraceRows final : public TraceRows {
 public:
  /// `families` are those of the store.
  ColumnarTraceRows(std::unique_ptr<columnar::Store> store, std::vector<columnar::Family> families);

  Result<std::vector<std::string>> projects() override;
  Result<void> read(columnar::FamilyId family,
                    std::string_view project,
                    const std::string& after,
                    const std::function<Result<void>(TraceBatch batch)>& take) override;
  Result<void> write(columnar::FamilyId family,
                     std::string_view project,
                     std::vector<columnar::Row> rows) override;
  Result<void> drop(std::string_view project) override;

 private:
  /// Returns the smallest row number after `number`, or nothing.
  Result<std::optional<std::int64_t>> nextNumber(columnar::FamilyId family,
                                                 std::string_view project,
                                                 std::int64_t number);
  /// Passes the rows of a window of row numbers. @return their number.
  Result<std::int64_t> readWindow(columnar::FamilyId family,
                                  std::string_view project,
                                  std::int64_t first,
                                  std::int64_t last,
                                  const std::function<Result<void>(TraceBatch batch)>& take);

  const std::unique_ptr<columnar::Store> store_;
  const std::vector<columnar::Family> families_;
};

}  // namespace spindle::app
