#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/core/result.h"
#include "clickhouse/rows/row_table.h"
#include "columnar/store/store.h"

namespace spindle::app {

/// Gives the rows of an embedded store their portable form. For one thread at a time; blocks.
class PortableRows {
 public:
  /// `tables` are those of clickHouseRowTables(). The store must outlive this object.
  PortableRows(columnar::Store& store, std::vector<clickhouse::RowTable> tables);

  /// Converts a row. @return the errors of the store.
  Result<void> convert(columnar::FamilyId family, std::string_view project, columnar::Row& row);

 private:
  /// Puts the OpenTelemetry resource of a call into its dump, because other engines store a call
  /// in one row.
  Result<void> includeResource(std::string_view project, columnar::Row& call);
  /// Returns the resource of a digest, or that of kMissingResource.
  Result<std::string_view> resource(std::string_view project, const std::string& digest);

  columnar::Store& store_;
  const std::vector<clickhouse::RowTable> tables_;
  std::string project_;                                     ///< of the resources
  std::unordered_map<std::string, std::string> resources_;  ///< by digest; a cache
  std::size_t resource_bytes_ = 0;
};

}  // namespace spindle::app
