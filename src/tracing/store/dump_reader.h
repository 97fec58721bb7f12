#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "columnar/store/snapshot.h"
#include "tracing/store/row_reader.h"

namespace spindle::tracing {

/// Inserts separately stored resources into the OpenTelemetry dumps of rows. Returns small batches
/// even if many rows share a large resource.
class DumpReader final : public CallReader {
 public:
  /// `family` is that of the resources. The snapshot must outlive the reader.
  DumpReader(columnar::Snapshot& snapshot,
             columnar::FamilyId family,
             std::string project,
             std::unique_ptr<RowReader> rows);

  Result<std::vector<Call>> next() override;
  std::optional<query::Position> end() const override { return rows_->end(); }

 private:
  Result<void> complete(Call& call);
  /// Fetches the resource of the next pending call, and some of the following ones.
  Result<void> fetchResources();

  columnar::Snapshot& snapshot_;
  const columnar::FamilyId family_;
  const std::string project_;
  const std::unique_ptr<RowReader> rows_;
  std::vector<Call> pending_;
  std::size_t at_ = 0;
  std::unordered_map<std::string, std::string> resources_;  ///< by digest
  std::size_t resource_bytes_ = 0;
};

}  // namespace spindle::tracing
