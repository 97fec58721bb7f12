#pragma once

#include <string>

#include "base/core/result.h"
#include "base/core/sql_text.h"

namespace spindle::clickhouse {

/// How the tables of a deployment are stored.
struct TableOptions {
  /// Tables are replicated. The server's macros name shard and replica.
  bool replicated = false;
  /// Statements that change tables run on all servers of this cluster; empty: on the connected one.
  std::string cluster = {};
};

/// @return kInvalidArgument unless the cluster is a plain name.
Result<void> checkTableOptions(const TableOptions& options);

/// Returns ` ON CLUSTER "name"`, or nothing without a cluster.
SqlText onCluster(const TableOptions& options);

/// Returns `ENGINE = ReplacingMergeTree(version)` or its replicated form. `family` is the name of
/// the engine, `arguments` are those inside the parentheses.
SqlText tableEngine(const TableOptions& options, SqlName family, SqlView arguments);

/// Returns the settings of every table, after `SETTINGS `: inserts are synced to disk before they
/// are acknowledged, unless replicas acknowledge them, and repeated inserts are recognised. An
/// insert is recognised among the last 10,000.
SqlText tableSettings(const TableOptions& options);

/// Returns ` SETTINGS …` of a query that reads tables with FINAL. A sort key names one row in one
/// partition. FINAL uses no index of other columns: a newer row that has changed such a column
/// would be skipped, and the older row would count.
SqlView finalSettings();

}  // namespace spindle::clickhouse
