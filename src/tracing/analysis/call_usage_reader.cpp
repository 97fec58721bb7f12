#include "tracing/analysis/call_usage_reader.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "pricing/price_table_sql.h"
#include "pricing/project_prices.h"
#include "statistics/aggregation.h"
#include "statistics/bucket_sql.h"

namespace spindle::tracing {
namespace {

using query::Sql;

/// The tokens of a call with one model, from its columns.
constexpr SqlView kStoredTokens =
    "c.usage_model AS model, c.usage_input AS input, c.usage_output AS output, c.usage_total AS "
    "total, c.usage_cache_read AS cache_read, c.usage_cache_creation AS cache_creation";

constexpr SqlView kTotal = "(CASE WHEN t.total = 0 THEN t.input + t.output ELSE t.total END)";

/// The SQL of each metric over rows `t` of tokens and prices, or of calls, in the order of Metric.
constexpr auto kMetricExpressions = std::to_array<SqlView>({
    "t.input",
    "t.output",
    kTotal,
    "t.cache_read",
    "t.cache_creation",
    "((t.input - t.cache_read - t.cache_creation) * p.prompt)",
    "(t.output * p.completion)",
    "((t.input - t.cache_read - t.cache_creation) * p.prompt + t.output * p.completion + "
    "t.cache_read * p.cache_read + t.cache_creation * p.cache_creation)",
    "t.latency",
    "1",
    "(CASE WHEN t.exception IS NULL THEN 0 ELSE 1 END)",
});

SqlText expressionOf(const CallEngine& engine, const Figure& figure) {
  // Counts are several times as fast as sums.
  if (figure.aggregation == Aggregation::kSum) {
    if (figure.metric == Metric::kCallCount) return SqlText("count(*)");
    if (figure.metric == Metric::kErrorCount) return SqlText("count(t.exception)");
  }
  // The latency of the calls whose percentiles are read: of all calls or of a sample.
  const bool measured = !figure.aggregation && figure.metric == Metric::kLatency;
  const SqlText value(measured ? SqlView("t.measured")
                               : kMetricExpressions.at(static_cast<std::size_t>(figure.metric)));
  if (!figure.aggregation)
    return engine.dialect().quantile(Sql(value), figure.percentile / 100).text;
  if (*figure.aggregation == Aggregation::kCountTrue) return "countIf(" + value + " <> 0)";
  if (*figure.aggregation == Aggregation::kCountFalse) return "countIf(" + value + " = 0)";
  return SqlText(statistics::sqlFunctionOf(*figure.aggregation)) + "(" + value + ")";
}

/// Selects the reported usage: a row of bucket, group, model and tokens for each model of each
/// call. Only calls with several models, or stored by an older release, need a parse of their
/// summary.
Sql usageRows(const CallEngine& engine,
              const Sql& condition,
              const CallStatsQuery& query,
              const GroupPlaces* groups) {
  Sql columns = statistics::bucketSql(query.buckets, "c.started_at", engine.dialect());
  columns.add(" AS bucket");
  std::vector<SqlName> names = {"bucket"};
  if (groups != nullptr && !groups->dimension.of_models) {
    columns.add(", ").add(groups->dimension.value).add(" AS g");
    names.push_back("g");
  }
  Sql sql("SELECT ");
  sql.add(columns).add(", ").add(kStoredTokens).add(" FROM ").add(engine.calls());
  sql.add(" AS c WHERE ").add(condition).add(" AND c.usage_models = 1");
  const Sql reports = engine.dialect().contains(Sql("c.summary"), Sql(R"('"usage"')"));
  for (const SqlView unread :
       {SqlView(" AND c.usage_models > 1"), SqlView(" AND c.usage_models IS NULL")}) {
    Sql calls("(SELECT ");
    calls.add(columns).add(", c.summary AS summary FROM ").add(engine.calls());
    calls.add(" AS c WHERE ").add(condition).add(unread).add(" AND ").add(reports).add(")");
    sql.add(" UNION ALL ").add(engine.usageInSummaries(calls, names));
  }
  return sql;
}

/// Adds the FROM clause of usage rows `t`, with the places of their groups.
void addRows(Sql& sql, const Sql& rows, const GroupPlaces* groups) {
  if (groups != nullptr && groups->dimension.of_models) {
    sql.add("(SELECT u.*, u.model AS g FROM (").add(rows).add(") AS u) AS t").add(groups->join);
    return;
  }
  sql.add("(").add(rows).add(") AS t");
  if (groups != nullptr) sql.add(groups->join);
}

SqlText placeOf(const GroupPlaces* groups) {
  return groups == nullptr ? SqlText("0") : groups->place;
}

/// Token sums of the usage of one model in one bucket and group. Costs of tokens are sums of
/// products with a constant price, so sums and averages of costs follow from them.
struct TokenSums {
  double count = 0;
  double input = 0;
  double output = 0;
  double total = 0;
  double cache_read = 0;
  double cache_creation = 0;
};

std::optional<double> sumOf(Metric metric, const TokenSums& sums, const pricing::Price* price) {
  const double uncached = sums.input - sums.cache_read - sums.cache_creation;
  switch (metric) {
    case Metric::kInputTokens:
      return sums.input;
    case Metric::kOutputTokens:
      return sums.output;
    case Metric::kTotalTokens:
      return sums.total;
    case Metric::kCacheReadTokens:
      return sums.cache_read;
    case Metric::kCacheCreationTokens:
      return sums.cache_creation;
    default:
      break;
  }
  if (price == nullptr) return std::nullopt;
  const pricing::TokenPrices& tokens = price->tokens;
  if (metric == Metric::kInputCost) return uncached * tokens.prompt;
  if (metric == Metric::kOutputCost) return sums.output * tokens.completion;
  return uncached * tokens.prompt + sums.output * tokens.completion +
         sums.cache_read * tokens.cache_read + sums.cache_creation * tokens.cache_creation;
}

bool isLinear(const Figure& figure) {
  return figure.aggregation &&
         (*figure.aggregation == Aggregation::kSum || *figure.aggregation == Aggregation::kAvg ||
          *figure.aggregation == Aggregation::kCount);
}

/// A figure while the models of its group are added up.
struct Partial {
  double sum = 0;
  double count = 0;
};

class LinearRows {
 public:
  explicit LinearRows(const CallStatsQuery& query) : query_(query) {}

  void add(std::size_t bucket,
           const std::string& model,
           std::size_t group,
           bool by_model,
           const TokenSums& sums) {
    Entry& entry = entries_[{bucket, {by_model ? model : std::string(), group}}];
    entry.count += static_cast<std::int64_t>(sums.count);
    entry.figures.resize(query_.usage_figures.size());
    const pricing::Price* price =
        query_.prices == nullptr ? nullptr : query_.prices->current(model);
    for (std::size_t i = 0; i < entry.figures.size(); ++i) {
      const std::optional<double> sum = sumOf(query_.usage_figures[i].metric, sums, price);
      if (!sum) continue;
      entry.figures[i].sum += *sum;
      entry.figures[i].count += sums.count;
    }
  }

  std::size_t size() const { return entries_.size(); }

  std::vector<BucketRow> rows() const {
    std::vector<BucketRow> rows;
    for (const auto& [key, entry] : entries_) {
      BucketRow row{key.first, key.second.first, entry.count, {}, key.second.second};
      for (std::size_t i = 0; i < entry.figures.size(); ++i)
        row.values.push_back(valueOf(query_.usage_figures[i], numberOf(i, entry.figures[i])));
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  struct Entry {
    std::int64_t count = 0;
    std::vector<Partial> figures;
  };

  std::optional<double> numberOf(std::size_t figure, const Partial& partial) const {
    const Aggregation aggregation = *query_.usage_figures[figure].aggregation;
    if (aggregation == Aggregation::kCount) return partial.count;
    if (partial.count == 0) return std::nullopt;
    return aggregation == Aggregation::kSum ? partial.sum : partial.sum / partial.count;
  }

  const CallStatsQuery& query_;
  std::map<std::pair<std::size_t, std::pair<std::string, std::size_t>>, Entry> entries_;
};

Error tooManyRows() {
  return Error::invalidArgument(
      "Too many models and buckets: choose a larger granularity or a shorter range");
}

/// Reads sums of tokens and multiplies them by prices here.
Result<std::vector<BucketRow>> readLinear(CallEngine& engine,
                                          const Sql& usage,
                                          const CallStatsQuery& query,
                                          const GroupPlaces* groups) {
  const std::vector<Figure>& figures = query.usage_figures;
  // Sums that no figure needs are not computed, and their columns are not read.
  const auto sum = [&figures](SqlView tokens, std::initializer_list<Metric> metrics) {
    const bool needed = std::any_of(figures.begin(), figures.end(), [&](const Figure& figure) {
      return std::find(metrics.begin(), metrics.end(), figure.metric) != metrics.end();
    });
    return needed ? ", sum(" + SqlText(tokens) + ")" : SqlText(", CAST(0 AS DOUBLE)");
  };
  using enum Metric;
  Sql sql("SELECT t.bucket, t.model, CAST(" + placeOf(groups) +
          " AS BIGINT) AS series_place, count(*)" +
          sum("t.input", {kInputTokens, kInputCost, kTotalCost}) +
          sum("t.output", {kOutputTokens, kOutputCost, kTotalCost}) + sum(kTotal, {kTotalTokens}) +
          sum("t.cache_read", {kCacheReadTokens, kInputCost, kTotalCost}) +
          sum("t.cache_creation", {kCacheCreationTokens, kInputCost, kTotalCost}) + " FROM ");
  addRows(sql, usage, groups);
  sql.add(" GROUP BY t.bucket, t.model, series_place");
  LinearRows rows(query);
  std::size_t read = 0;
  TRY(engine.read(sql, [&](const EngineRow& row) -> Result<void> {
    if (++read > kMaxBucketRows) return tooManyRows();
    TokenSums sums;
    sums.count = static_cast<double>(row.integer(3));
    sums.input = row.real(4);
    sums.output = row.real(5);
    sums.total = row.real(6);
    sums.cache_read = row.real(7);
    sums.cache_creation = row.real(8);
    rows.add(static_cast<std::size_t>(row.integer(0)), std::string(row.text(1)),
             static_cast<std::size_t>(row.integer(2)), groups == nullptr, sums);
    return {};
  }));
  return rows.rows();
}

Result<std::vector<std::string>> modelsIn(CallEngine& engine, const Sql& usage) {
  Sql sql("SELECT DISTINCT t.model FROM (");
  sql.add(usage).add(") AS t");
  std::vector<std::string> models;
  TRY(engine.read(sql, [&models](const EngineRow& row) -> Result<void> {
    models.emplace_back(row.text(0));
    return {};
  }));
  return models;
}

}  // namespace

SqlText figureColumns(const CallEngine& engine, const std::vector<Figure>& figures) {
  SqlText list;
  for (const Figure& figure : figures)
    list += ", CAST(" + expressionOf(engine, figure) + " AS DOUBLE)";
  return list;
}

Result<std::vector<BucketRow>> readBuckets(CallEngine& engine,
                                           const Sql& sql,
                                           const std::vector<Figure>& figures) {
  constexpr std::size_t kFirstFigure = 4;
  std::vector<BucketRow> rows;
  TRY(engine.read(sql, [&](const EngineRow& found) -> Result<void> {
    if (rows.size() == kMaxBucketRows) return tooManyRows();
    BucketRow row;
    row.bucket = static_cast<std::size_t>(found.integer(0));
    row.model = std::string(found.text(1));
    row.group = static_cast<std::size_t>(found.integer(2));
    row.count = found.integer(3);
    for (std::size_t i = 0; i < figures.size(); ++i) {
      std::optional<double> number;
      if (!found.isNull(kFirstFigure + i)) number = found.real(kFirstFigure + i);
      row.values.push_back(valueOf(figures[i], number));
    }
    rows.push_back(std::move(row));
    return {};
  }));
  return rows;
}

Result<std::vector<BucketRow>> readUsage(CallEngine& engine,
                                         const Sql& condition,
                                         const CallStatsQuery& query,
                                         const GroupPlaces* groups) {
  const std::vector<Figure>& figures = query.usage_figures;
  const Sql usage = usageRows(engine, condition, query, groups);
  if (std::all_of(figures.begin(), figures.end(), isLinear))
    return readLinear(engine, usage, query, groups);
  const bool costs = query.prices != nullptr &&
                     std::any_of(figures.begin(), figures.end(),
                                 [](const Figure& figure) { return isCost(figure.metric); });
  const SqlText model(groups == nullptr ? SqlView("t.model") : SqlView("''"));
  Sql sql("SELECT t.bucket, " + model + " AS series, CAST(" + placeOf(groups) +
          " AS BIGINT) AS series_place, count(*)" + figureColumns(engine, figures) + " FROM ");
  addRows(sql, usage, groups);
  if (costs) {
    const std::vector<std::string> models = TRY(modelsIn(engine, usage));
    sql.add(" LEFT JOIN ")
        .add(pricing::priceTableSql(models, *query.prices, engine.dialect()))
        .add(" AS p ON p.model = t.model");
  }
  sql.add(" GROUP BY t.bucket, series, series_place ORDER BY t.bucket, series, series_place");
  return readBuckets(engine, sql, figures);
}

}  // namespace spindle::tracing
