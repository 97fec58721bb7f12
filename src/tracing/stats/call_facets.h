#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tracing/calls/call_query.h"

namespace spindle::tracing {

/// One requested facet: the most frequent values of a dimension.
struct FacetRequest {
  std::string field;        ///< a dimension, as CallStatsQuery::group_by
  std::int64_t limit = 20;  ///< number of values
  std::string prefix = {};  ///< only values that begin with it
};

/// The limits of a sample of the newest calls of a selection.
struct SampleBudget {
  std::int64_t rows = 0;      ///< calls of the selection
  std::int64_t examined = 0;  ///< calls that are read to find them, about
};

struct FacetQuery {
  CallQuery selection = {};
  std::vector<FacetRequest> facets = {};
  SampleBudget of_columns = {2'000'000, 4'000'000};
  /// For facets that parse JSON, for their values or for their selection. They share the rows.
  SampleBudget of_json = {400'000, 1'000'000};
};

struct FacetValue {
  std::string value;
  std::int64_t count = 0;

  bool operator==(const FacetValue&) const = default;
};

/// The values of one dimension. Each call counts once; a call with several models once per model.
struct Facet {
  std::vector<FacetValue> values = {};  ///< most calls first, then by value
  std::int64_t other = 0;               ///< calls with another value that begins with the prefix
  std::int64_t missing = 0;             ///< calls without a value
  bool sampled = false;                 ///< counted over the newest selected calls only
  std::int64_t rows = 0;                ///< number of calls that were read

  bool operator==(const Facet&) const = default;
};

struct AttributeQuery {
  CallQuery selection = {};
  std::string prefix = {};  ///< only paths that begin with it
  std::int64_t limit = 1000;
  SampleBudget budget = {20'000, 1'000'000};
};

/// A path inside the attributes of calls, such as `attributes.tenant.id`.
struct AttributePath {
  std::string path;
  std::string type;        ///< string, number, boolean, null or array: the most frequent one
  std::int64_t count = 0;  ///< number of calls with a value at the path

  bool operator==(const AttributePath&) const = default;
};

struct CallAttributes {
  std::vector<AttributePath> paths = {};  ///< most calls first, then by path
  bool truncated = false;                 ///< there are more paths
  bool sampled = false;                   ///< only the newest calls were read
  std::int64_t rows = 0;                  ///< number of calls that were read
};

}  // namespace spindle::tracing
