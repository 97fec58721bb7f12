#include "columnar/store/generation_copy.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "columnar/duckdb/number_list.h"
#include "columnar/duckdb/table_sql.h"

namespace spindle::columnar {
namespace {

/// The rows of one family in a generation and their target tables.
struct FamilyCopy {
  std::vector<StoredTables::Addition> own;
  std::vector<StoredTables::Addition> shared;
  std::vector<PartitionNumber> not_shared;  ///< in own tables or retired
  std::vector<StoredTables::Addition> superseding;
  RowNumber first_superseded = 0;  ///< in the shared table
  bool late = false;               ///< rows are out of time order
};

class Copy {
 public:
  Copy(StoreParts& parts,
       Connection& connection,
       const Generation& generation,
       const CopyOptions& options)
      : parts_(parts), connection_(connection), generation_(generation), options_(options) {}

  Result<std::vector<StoredTables::Addition>> run() {
    distribute();
    for (const auto& [family, copy] : families_) {
      Result<void> done = removeSuperseded(family, copy);
      if (done) done = addShared(family, copy);
      if (done) done = addOwn(family, copy);
      if (!done) return std::move(done).error();
      additions_.insert(additions_.end(), copy.shared.begin(), copy.shared.end());
      additions_.insert(additions_.end(), copy.own.begin(), copy.own.end());
    }
    TRY(save());
    return std::move(additions_);
  }

 private:
  void distribute() {
    for (auto& [table, tally] : generation_.tallies()) {
      FamilyCopy& copy = families_[table.family];
      if (parts_.partitions.isRetired(table.partition)) {
        copy.not_shared.push_back(table.partition);
        continue;
      }
      StoredTables::Addition addition{table, tally, false};
      if (tally.superseded > 0) {
        if (parts_.stored.locate(table).shared) {
          copy.first_superseded = copy.first_superseded == 0
                                      ? tally.first_superseded
                                      : std::min(copy.first_superseded, tally.first_superseded);
        }
        copy.superseding.push_back(addition);
      }
      if (tally.rows == 0) continue;
      copy.late = copy.late || tally.late_rows * 20 > tally.rows;
      addition.own = parts_.stored.wantsOwnTable(table, tally.rows);
      if (addition.own) copy.not_shared.push_back(table.partition);
      (addition.own ? copy.own : copy.shared).push_back(std::move(addition));
    }
  }

  Result<void> removeSuperseded(FamilyId family, const FamilyCopy& copy) {
    const Family& of = parts_.families[family];
    const SqlText row(kRowColumn);
    if (copy.first_superseded > 0) {
      TRY(connection_.execute("DELETE FROM " + sharedTable(of) + " WHERE " + row +
                              " >= " + SqlText::number(copy.first_superseded) + " AND " + row +
                              " IN (" + selectSuperseded(family, {generation_.number()}) + ")"));
    }
    for (const StoredTables::Addition& addition : copy.superseding) {
      if (!parts_.stored.locate(addition.table).own) continue;
      TRY(connection_.execute("DELETE FROM " + ownTable(of, addition.table.partition) + " WHERE " +
                              row + " IN (" +
                              selectSuperseded(addition.table, {generation_.number()}) + ")"));
    }
    return {};
  }

  /// Returns an INSERT INTO a table of the file with the columns that both kinds of tables have.
  SqlText insertInto(SqlView table, const Family& family, bool shared) const {
    SqlText columns = columnsOf(family) + ", " + SqlText(kRowColumn);
    if (shared) columns += ", " + SqlText(kPartitionColumn);
    return "INSERT INTO " + SqlText(table) + " (" + columns + ", " + SqlText(kGenerationColumn) +
           ") SELECT " + columns + ", " + SqlText::number(options_.mark) + " FROM " +
           recentTable(family, generation_.number());
  }

  Result<void> addShared(FamilyId family, const FamilyCopy& copy) {
    if (copy.shared.empty()) return {};
    const Family& of = parts_.families[family];
    const SqlText order = quotedName(of.columns[of.order].name);
    const RowNumber first = generation_.firstRow();
    const RowNumber last = generation_.lastRow();
    const auto count = static_cast<RowNumber>(options_.pieces);
    const RowNumber step = (last - first) / count + 1;
    for (RowNumber from = first; from <= last; from += step) {
      SqlText sql = insertInto(sharedTable(of), of, true) + " WHERE true";
      if (!copy.not_shared.empty()) {
        sql += " AND " + SqlText(kPartitionColumn) + " NOT IN (" + listOf(copy.not_shared) + ")";
      }
      if (options_.pieces > 1) {
        sql += " AND " + SqlText(kRowColumn) + " BETWEEN " + SqlText::number(from) + " AND " +
               SqlText::number(from + step - 1);
      }
      // Rows mostly arrive in time order, and sorting the payload costs as much as compressing it.
      if (copy.shared.size() > 1) {
        sql += " ORDER BY " + SqlText(kPartitionColumn) + ", " + order;
      } else if (copy.late) {
        sql += " ORDER BY " + order;
      }
      TRY(connection_.execute(sql));
    }
    return {};
  }

  Result<void> addOwn(FamilyId family, const FamilyCopy& copy) {
    const Family& of = parts_.families[family];
    for (const StoredTables::Addition& addition : copy.own) {
      Result<void> done = parts_.stored.ensureOwnTable(connection_, addition.table, options_.mark);
      if (!done) return done;
      SqlText sql = insertInto(ownTable(of, addition.table.partition), of, false) + " WHERE " +
                    SqlText(kPartitionColumn) + " = " + SqlText::number(addition.table.partition);
      if (addition.tally.late_rows * 20 > addition.tally.rows) {
        sql += " ORDER BY " + quotedName(of.columns[of.order].name);
      }
      if (done = connection_.execute(sql); !done) return done;
    }
    return {};
  }

  Result<void> save() {
    std::vector<PartitionNumber> retired;
    for (const Partitions::Retired& one : parts_.partitions.retired()) {
      if (one.generation <= generation_.number()) retired.push_back(one.number);
    }
    Result<void> saved = parts_.stored.saveRetired(connection_, retired);
    if (saved) saved = parts_.stored.saveStatistics(connection_, additions_);
    if (!saved) return saved;
    return parts_.stored.saveState(connection_, options_.state);
  }

  StoreParts& parts_;
  Connection& connection_;
  const Generation& generation_;
  const CopyOptions& options_;
  std::map<FamilyId, FamilyCopy> families_;
  std::vector<StoredTables::Addition> additions_;
};

}  // namespace

Result<std::vector<StoredTables::Addition>> copyGeneration(StoreParts& parts,
                                                           Connection& connection,
                                                           const Generation& generation,
                                                           const CopyOptions& options) {
  return Copy(parts, connection, generation, options).run();
}

}  // namespace spindle::columnar
