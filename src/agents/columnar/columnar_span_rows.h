#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "agents/columnar/columnar_span_store.h"
#include "agents/sql/span_rows.h"
#include "columnar/store/snapshot.h"

namespace spindle::agents {

/// A snapshot of the spans of a project in the embedded store.
class ColumnarSpanRows final : public SpanRows {
 public:
  ColumnarSpanRows(columnar::Snapshot snapshot,
                   const SpanFamilies& families,
                   std::string_view project_id);

  const SpanDialect& dialect() const override { return duckDbSpanDialect(); }
  query::Sql from() const override;
  query::Sql feedback() const override;
  query::Sql oneOfTraces(const std::vector<std::string>& trace_ids) const override;
  Result<void> run(const query::Sql& select, const Visit& visit) override;
  SqlView pageColumns() const override { return "c.row_number_in_store, c.started_at"; }
  PageRow readPageRow(const ResultRow& row) const override;
  Result<void> readPage(const std::vector<PageRow>& page,
                        const query::Sql& columns,
                        std::size_t count,
                        const VisitPageRow& visit) override;
  Result<std::optional<Timestamp>> newestStart(std::size_t rows) override;
  Result<std::unordered_map<std::string, std::string>> resources(
      const std::vector<std::string>& digests) override;

  /// Returns the tables of the spans; see columnar::Snapshot::sources().
  const std::vector<columnar::Source>& sources() const { return sources_; }

 private:
  columnar::Snapshot snapshot_;
  const SpanFamilies families_;
  const std::string project_id_;
  const std::vector<columnar::Source> sources_;
};

}  // namespace spindle::agents
