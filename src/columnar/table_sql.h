#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "columnar/numbers.h"

namespace spindle::columnar {

// Columns that every table has besides its family's.
inline constexpr std::string_view kRowColumn = "row_number_in_store";
inline constexpr std::string_view kPartitionColumn = "partition_in_store";    ///< not in own tables
inline constexpr std::string_view kGenerationColumn = "generation_in_store";  ///< stored tables

std::string quotedName(std::string_view name);
std::string_view typeOf(ColumnType type);

/// The family's columns, quoted, separated by commas.
std::string columnsOf(const Family& family);

// Bare names of the tables in memory.
std::string recentName(const Family& family, GenerationNumber generation);
std::string supersededName(GenerationNumber generation);

// Full names of tables, quoted.
std::string recentTable(const Family& family, GenerationNumber generation);
/// The numbers of older rows that the rows of a generation have replaced, of all families.
std::string supersededTable(GenerationNumber generation);
/// The table in the file that the partitions of a family share.
std::string sharedTable(const Family& family);
/// The table in the file that one large partition has to itself.
std::string ownTable(const Family& family, PartitionNumber partition);

// Statements.
std::string createRecentTable(const Family& family, GenerationNumber generation);
std::string createSupersededTable(GenerationNumber generation);
std::string createSharedTable(const Family& family);
std::string createOwnTable(const Family& family, PartitionNumber partition);

/// Numbers of rows of one table that these generations have replaced: a SELECT of one column.
std::string selectSuperseded(TableKey table, const std::vector<GenerationNumber>& generations);
/// The same for all partitions of a family.
std::string selectSuperseded(FamilyId family, const std::vector<GenerationNumber>& generations);

/// A SELECT with the family's columns and the row number, of no rows.
std::string selectNothing(const Family& family);

}  // namespace spindle::columnar
