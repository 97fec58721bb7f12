#include "transfer/call_columns.h"

#include "wire/spelling.h"

namespace spindle::transfer {
namespace {

using columnar::ParquetColumn;
using columnar::ParquetKind;

std::vector<ParquetColumn> makeColumns() {
  std::vector<ParquetColumn> columns = {
      {"id", ParquetKind::kText},
      {"project_id", ParquetKind::kText},
      {"op_name", ParquetKind::kText},
      {"display_name", ParquetKind::kText},
      {"trace_id", ParquetKind::kText},
      {"parent_id", ParquetKind::kText},
      {"thread_id", ParquetKind::kText},
      {"turn_id", ParquetKind::kText},
      {"started_at", ParquetKind::kTime},
      {"attributes", ParquetKind::kJson},
      {"inputs", ParquetKind::kJson},
      {"ended_at", ParquetKind::kTime},
      {"exception", ParquetKind::kText},
      {"output", ParquetKind::kJson},
      {"summary", ParquetKind::kJson},
      {"svc_user_id", ParquetKind::kText},
      {"svc_run_id", ParquetKind::kText},
      {"svc_run_step", ParquetKind::kInteger},
      {"svc_run_step_end", ParquetKind::kInteger},
      {"expire_at", ParquetKind::kTime},
  };
  for (ParquetColumn& column : columns) {
    const std::string_view vendor = wire::memberFor(wire::Spelling::kVendor, column.name);
    if (vendor != column.name) column.other_name = vendor;
  }
  return columns;
}

}  // namespace

const std::vector<ParquetColumn>& callColumns() {
  static const std::vector<ParquetColumn> columns = makeColumns();
  return columns;
}

}  // namespace spindle::transfer
