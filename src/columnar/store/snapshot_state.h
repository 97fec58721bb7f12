#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "columnar/store/core.h"
#include "columnar/store/snapshot.h"

namespace spindle::columnar {

/// A transaction and the matching version of the store.
class Snapshot::State {
 public:
  /// @return kUnavailable
  static Result<std::unique_ptr<State>> begin(std::shared_ptr<Core> core);
  State(std::shared_ptr<Core> core,
        std::unique_ptr<ScanGate::Pass> pass,
        std::unique_ptr<Reader> reader,
        std::shared_ptr<const Version> version,
        std::optional<std::uint64_t> epoch);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  SqlText from(FamilyId family, std::string_view partition) const;
  /// Returns the tables of all rows, or only those that can contain `key`.
  std::vector<Source> sources(FamilyId family,
                              std::string_view partition,
                              std::optional<std::string_view> key) const;
  std::vector<Run> runs(FamilyId family, std::string_view partition) const;
  Result<Cursor> query(SqlView sql, const std::vector<Value>& params);
  Result<std::int64_t> count(FamilyId family, std::string_view partition, SqlView condition);

 private:
  void addRecent(TableKey table,
                 std::optional<std::string_view> key,
                 std::vector<Source>& sources) const;
  void addStored(TableKey table, std::vector<Source>& sources) const;
  /// Returns the tables of the file that contain rows of the partition, including replaced rows.
  std::vector<Source> storedSources(TableKey table) const;
  std::optional<CountCache::Count> cachedCount(TableKey table, SqlView condition) const;
  Result<std::int64_t> countIn(const std::vector<Source>& sources, SqlView condition);

  std::shared_ptr<Core> core_;  // a snapshot outlives a failed core
  std::unique_ptr<ScanGate::Pass> pass_;
  std::unique_ptr<Reader> reader_;
  std::shared_ptr<const Version> version_;
  std::optional<std::uint64_t> epoch_;  ///< of its view of the file, if known
};

}  // namespace spindle::columnar
