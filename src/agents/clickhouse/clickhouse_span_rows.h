#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agents/sql/span_rows.h"
#include "clickhouse/client/client.h"

namespace spindle::agents {

/// SQL of other areas that span queries contain.
struct SpanJoins {
  /// Returns the feedback of a project as a FROM item with the columns of its family. Required by
  /// SignalFilters.
  std::function<query::Sql(std::string_view project_id)> feedback_rows = {};
};

/// The spans of a project in ClickHouse. Each statement sees the newest spans.
class ClickHouseSpanRows final : public SpanRows {
 public:
  /// Both references must outlive this object.
  ClickHouseSpanRows(clickhouse::Client& client,
                     const SpanJoins& joins,
                     std::string_view project_id)
      : client_(client), joins_(joins), project_id_(project_id) {}

  const SpanDialect& dialect() const override { return clickHouseSpanDialect(); }
  query::Sql from() const override;
  query::Sql feedback() const override;
  query::Sql oneOfTraces(const std::vector<std::string>& trace_ids) const override;
  Result<void> run(const query::Sql& select, const Visit& visit) override;
  SqlView pageColumns() const override { return "c.trace_id, c.span_id, c.started_at"; }
  PageRow readPageRow(const ResultRow& row) const override;
  Result<void> readPage(const std::vector<PageRow>& page,
                        const query::Sql& columns,
                        std::size_t count,
                        const VisitPageRow& visit) override;
  Result<std::optional<Timestamp>> newestStart(std::size_t rows) override;
  Result<std::unordered_map<std::string, std::string>> resources(
      const std::vector<std::string>& digests) override;

 private:
  clickhouse::Client& client_;
  const SpanJoins& joins_;
  const std::string project_id_;
};

}  // namespace spindle::agents
