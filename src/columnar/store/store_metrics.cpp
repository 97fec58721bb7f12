#include "columnar/store/store_metrics.h"

namespace spindle::columnar {

StoreMetrics::StoreMetrics(MetricRegistry& registry)
    : queued_bytes(registry.gauge("spindle_columnar_queued_bytes",
                                  "Bytes of changes that wait for the writer.")),
      groups(registry.counter("spindle_columnar_groups_total",
                              "Groups of changes written to the journal.")),
      changes(registry.counter("spindle_columnar_changes_total", "Changes written.")),
      journal_bytes(registry.counter("spindle_columnar_journal_bytes_total",
                                     "Bytes written to the journal.")),
      journal_seconds(registry.histogram("spindle_columnar_journal_seconds",
                                         "Time to write a group to the journal and sync it.")),
      recent_rows(registry.gauge("spindle_columnar_recent_rows",
                                 "Rows in memory that are not in the file yet.")),
      recent_bytes(registry.gauge("spindle_columnar_recent_bytes",
                                  "Bytes of the rows in memory that are not in the file yet.")),
      flush_seconds(registry.histogram("spindle_columnar_flush_seconds",
                                       "Time to move a generation of rows into the file.")),
      checkpoint_seconds(registry.histogram("spindle_columnar_checkpoint_seconds",
                                            "Time to checkpoint the file.")),
      snapshots(registry.gauge("spindle_columnar_snapshots", "Snapshots in use.")),
      reopened(registry.counter("spindle_columnar_reopened_total",
                                "Times the store was reopened after a DuckDB failure.")),
      incomplete(
          registry.gauge("spindle_columnar_incomplete",
                         "1 when files of the store were damaged or missing at its start.")) {}

}  // namespace spindle::columnar
