#include "tracing/analysis/call_facet_reader.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "json/document.h"
#include "json/stored.h"
#include "tracing/analysis/call_dimension.h"

namespace spindle::tracing {
namespace {

using query::Sql;

/// The number of calls that each facet of a request may parse, however many facets there are.
constexpr std::int64_t kMinJsonRows = 50'000;
/// Limits of the paths that are collected, as clients may use ids as names.
constexpr std::size_t kMaxPaths = 10'000;
constexpr std::size_t kMaxPathDepth = 16;
constexpr std::size_t kMaxPathBytes = 512;

/// The condition of the calls of a facet, and what is known about their number.
struct SampledRows {
  Sql condition;
  std::int64_t rows = 0;
  bool sampled = false;
};

Result<SampledRows> sampleOf(CallEngine& engine, const FacetRows& rows, SampleBudget budget) {
  const CallSample sample = TRY(engine.newestCalls(rows.fast, budget));
  SampledRows sampled{rows.fast, sample.rows, sample.since.has_value()};
  if (sample.since) sampled.condition.add(" AND c.started_at >= ").param(*sample.since);
  if (!rows.slow.text.empty()) sampled.condition.add(" AND (").add(rows.slow).add(")");
  return sampled;
}

Result<Facet> readFacet(CallEngine& engine,
                        const SampledRows& rows,
                        const CallDimension& dimension,
                        const FacetRequest& request) {
  Sql sql(
      "SELECT v.g, v.calls, CAST(sum(CASE WHEN v.g IS NULL THEN 0 ELSE v.calls END) OVER () AS ");
  sql.add("BIGINT) FROM (SELECT t.g, count(*) AS calls FROM (")
      .add(selectByDimension(engine, Sql(), rows.condition, dimension))
      .add(") AS t GROUP BY t.g) AS v");
  if (!request.prefix.empty())
    sql.add(" WHERE v.g IS NULL OR ")
        .add(engine.dialect().startsWith(Sql("v.g"), Sql().param(request.prefix)));
  sql.add(" ORDER BY v.g IS NULL DESC, ").add(engine.dialect().bytes(Sql("v.g")));
  sql.add(" > " + SqlText::number(kMaxDimensionBytes) + ", v.calls DESC, v.g LIMIT " +
          SqlText::number(request.limit + 1));
  Facet facet;
  facet.sampled = rows.sampled;
  facet.rows = rows.rows;
  std::int64_t shown = 0;
  std::int64_t present = 0;
  TRY(engine.read(sql, [&](const EngineRow& row) -> Result<void> {
    present = row.integer(2);
    if (row.isNull(0)) {
      facet.missing = row.integer(1);
    } else if (facet.values.size() < static_cast<std::size_t>(request.limit) &&
               row.text(0).size() <= kMaxDimensionBytes) {
      facet.values.push_back({std::string(row.text(0)), row.integer(1)});
      shown += row.integer(1);
    }
    return {};
  }));
  facet.other = present - shown;
  return facet;
}

/// The JSON types of values, in the order of PathCount::types.
constexpr auto kTypes =
    std::to_array<std::string_view>({"string", "number", "boolean", "null", "array"});

std::size_t typeOf(const json::Node& value) {
  if (value.isString()) return 0;
  if (value.isNumber()) return 1;
  if (value.isBool()) return 2;
  return value.isNull() ? 3 : 4;
}

/// Counts the paths of values in JSON objects.
class PathCounter {
 public:
  explicit PathCounter(std::string_view prefix) : prefix_(prefix) {}

  void add(const json::Node& attributes) {
    std::string path = "attributes";
    if (attributes.isObject()) addMembers(attributes, path, 0);
  }

  CallAttributes result(std::size_t limit) {
    CallAttributes found;
    for (const auto& [path, types] : counts_) {
      const auto most = std::max_element(types.begin(), types.end());
      std::int64_t count = 0;
      for (const std::int64_t each : types) count += each;
      found.paths.push_back(
          {path, std::string(kTypes.at(static_cast<std::size_t>(most - types.begin()))), count});
    }
    std::sort(found.paths.begin(), found.paths.end(),
              [](const AttributePath& a, const AttributePath& b) {
                return a.count != b.count ? a.count > b.count : a.path < b.path;
              });
    found.truncated = full_ || found.paths.size() > limit;
    if (found.paths.size() > limit) found.paths.resize(limit);
    return found;
  }

 private:
  void addMembers(const json::Node& object, std::string& path, std::size_t depth) {
    const std::size_t length = path.size();
    for (auto at = object.begin(); at != object.end(); ++at) {
      appendName((*at).text(), path);
      ++at;
      if (path.size() > kMaxPathBytes) {
        full_ = true;
      } else if ((*at).isObject() && depth + 1 < kMaxPathDepth) {
        addMembers(*at, path, depth + 1);
      } else if (!(*at).isObject() && path.starts_with(prefix_)) {
        count(path, typeOf(*at));
      }
      path.resize(length);
    }
  }

  /// Appends a part of a path of the query language, where `\.` is a dot.
  static void appendName(const std::string& name, std::string& path) {
    path += '.';
    for (const char c : name) {
      if (c == '.') path += '\\';
      path += c;
    }
  }

  void count(const std::string& path, std::size_t type) {
    auto known = counts_.find(path);
    if (known == counts_.end()) {
      full_ = full_ || counts_.size() == kMaxPaths;
      if (counts_.size() == kMaxPaths) return;
      known = counts_.emplace(path, Types{}).first;
    }
    ++known->second.at(type);
  }

  using Types = std::array<std::int64_t, kTypes.size()>;
  const std::string_view prefix_;
  std::unordered_map<std::string, Types> counts_;
  bool full_ = false;
};

}  // namespace

Result<std::vector<Facet>> readFacets(CallEngine& engine,
                                      const FacetRows& rows,
                                      const query::Fields& fields,
                                      const FacetQuery& query) {
  const std::vector<FacetRequest>& requests = query.facets;
  std::vector<CallDimension> dimensions;
  for (const FacetRequest& request : requests) {
    CallDimension dimension = TRY(dimensionOf(request.field, fields));
    dimensions.push_back(std::move(dimension));
  }
  const auto parses = [&rows](const CallDimension& dimension) {
    return dimension.in_json || !rows.slow.text.empty();
  };
  const auto parsing = std::count_if(dimensions.begin(), dimensions.end(), parses);
  const std::int64_t json_rows =
      std::max(kMinJsonRows, query.of_json.rows / std::max<std::int64_t>(1, parsing));
  std::optional<SampledRows> of_columns;
  std::optional<SampledRows> of_json;
  std::vector<Facet> facets;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const bool from_json = parses(dimensions[i]);
    std::optional<SampledRows>& sample = from_json ? of_json : of_columns;
    if (!sample) {
      const SampleBudget budget =
          from_json ? SampleBudget{json_rows, query.of_json.examined} : query.of_columns;
      SampledRows fresh = TRY(sampleOf(engine, rows, budget));
      sample = std::move(fresh);
    }
    Facet facet = TRY(readFacet(engine, *sample, dimensions[i], requests[i]));
    facets.push_back(std::move(facet));
  }
  return facets;
}

Result<CallAttributes> readAttributes(CallEngine& engine,
                                      const FacetRows& rows,
                                      const AttributeQuery& query) {
  const SampledRows sample = TRY(sampleOf(engine, rows, query.budget));
  Sql sql("SELECT c.attributes FROM ");
  sql.add(engine.calls())
      .add(" AS c WHERE ")
      .add(sample.condition)
      .add(" AND c.attributes <> '{}'");
  PathCounter counter(query.prefix);
  TRY(engine.read(sql, [&counter](const EngineRow& row) -> Result<void> {
    auto parsed = json::Document::parse(std::string(row.text(0)), json::kStoredDepth);
    if (const auto* document = std::get_if<json::Document>(&parsed)) counter.add(document->root());
    return {};
  }));
  CallAttributes found = counter.result(static_cast<std::size_t>(query.limit));
  found.sampled = sample.sampled;
  found.rows = sample.rows;
  return found;
}

}  // namespace spindle::tracing
