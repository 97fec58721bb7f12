#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "columnar/journal/numbers.h"

namespace spindle::columnar {

// Columns of every table in addition to those of its family.
inline constexpr SqlName kRowColumn = "row_number_in_store";
inline constexpr SqlName kPartitionColumn = "partition_in_store";    ///< not in own tables
inline constexpr SqlName kGenerationColumn = "generation_in_store";  ///< in stored tables

SqlText quotedName(SqlName name);
SqlView typeOf(ColumnType type);

/// Returns the family's columns, quoted and separated by commas.
SqlText columnsOf(const Family& family);

// Unqualified names of the in-memory tables.
std::string recentName(const Family& family, GenerationNumber generation);
std::string supersededName(GenerationNumber generation);

// Qualified, quoted names of tables.
SqlText recentTable(const Family& family, GenerationNumber generation);
/// The table of the numbers of older rows, of all families, that a generation replaced.
SqlText supersededTable(GenerationNumber generation);
/// The table in the file that the partitions of a family share.
SqlText sharedTable(const Family& family);
/// The table in the file of one large partition.
SqlText ownTable(const Family& family, PartitionNumber partition);

// Statements.
SqlText createRecentTable(const Family& family, GenerationNumber generation);
SqlText createSupersededTable(GenerationNumber generation);
SqlText createSharedTable(const Family& family);
SqlText createOwnTable(const Family& family, PartitionNumber partition);

/// Returns a SELECT of the numbers of the rows of one table that these generations replaced.
SqlText selectSuperseded(TableKey table, const std::vector<GenerationNumber>& generations);
/// Returns the same SELECT for all partitions of a family.
SqlText selectSuperseded(FamilyId family, const std::vector<GenerationNumber>& generations);

/// Returns a SELECT with the family's columns and the row number that yields no rows.
SqlText selectNothing(const Family& family);

}  // namespace spindle::columnar
