#include "clickhouse/schema/table_options.h"

namespace spindle::clickhouse {

Result<void> checkTableOptions(const TableOptions& options) {
  if (options.cluster.empty() || SqlName::isName(options.cluster)) return {};
  return Error::invalidArgument(
      "The name of the ClickHouse cluster may contain only letters, digits and underscores.");
}

SqlText onCluster(const TableOptions& options) {
  const std::optional<SqlText> name = SqlText::identifier(options.cluster);
  return name ? " ON CLUSTER " + *name : SqlText();
}

SqlText tableEngine(const TableOptions& options, SqlName family, SqlView arguments) {
  return SqlText(options.replicated ? SqlView("ENGINE = Replicated") : SqlView("ENGINE = ")) +
         family + "(" + arguments + ")";
}

SqlText tableSettings(const TableOptions& options) {
  if (options.replicated) return SqlText("replicated_deduplication_window = 10000");
  return SqlText(
      "non_replicated_deduplication_window = 10000, fsync_after_insert = 1, "
      "fsync_part_directory = 1");
}

SqlView finalSettings() {
  return " SETTINGS do_not_merge_across_partitions_select_final = 1, use_skip_indexes_if_final = 0";
}

}  // namespace spindle::clickhouse
