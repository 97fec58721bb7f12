#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "columnar/numbers.h"

namespace spindle::columnar {

// Columns that every table has besides its family's.
inline constexpr SqlName kRowColumn = "row_number_in_store";
inline constexpr SqlName kPartitionColumn = "partition_in_store";    ///< not in own tables
inline constexpr SqlName kGenerationColumn = "generation_in_store";  ///< stored tables

SqlText quotedName(SqlName name);
SqlView typeOf(ColumnType type);

/// The family's columns, quoted, separated by commas.
SqlText columnsOf(const Family& family);

// Bare names of the tables in memory.
std::string recentName(const Family& family, GenerationNumber generation);
std::string supersededName(GenerationNumber generation);

// Full names of tables, quoted.
SqlText recentTable(const Family& family, GenerationNumber generation);
/// The numbers of older rows that the rows of a generation have replaced, of all families.
SqlText supersededTable(GenerationNumber generation);
/// The table in the file that the partitions of a family share.
SqlText sharedTable(const Family& family);
/// The table in the file that one large partition has to itself.
SqlText ownTable(const Family& family, PartitionNumber partition);

// Statements.
SqlText createRecentTable(const Family& family, GenerationNumber generation);
SqlText createSupersededTable(GenerationNumber generation);
SqlText createSharedTable(const Family& family);
SqlText createOwnTable(const Family& family, PartitionNumber partition);

/// Numbers of rows of one table that these generations have replaced: a SELECT of one column.
SqlText selectSuperseded(TableKey table, const std::vector<GenerationNumber>& generations);
/// The same for all partitions of a family.
SqlText selectSuperseded(FamilyId family, const std::vector<GenerationNumber>& generations);

/// A SELECT with the family's columns and the row number, of no rows.
SqlText selectNothing(const Family& family);

}  // namespace spindle::columnar
