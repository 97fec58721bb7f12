#pragma once

#include <vector>

#include "base/core/result.h"
#include "query/field.h"
#include "query/sql.h"
#include "tracing/analysis/call_engine.h"
#include "tracing/stats/call_facets.h"

namespace spindle::tracing {

/// The calls that facets are about. Conditions are over calls `c`.
struct FacetRows {
  query::Sql fast;  ///< uses only columns that are read without parsing
  query::Sql slow;  ///< must hold too; empty for none
};

/// Counts the values of dimensions. Reads only the newest calls when all would take too long; a
/// value inside JSON costs more than a column. @return kUnprocessable for an unknown field.
Result<std::vector<Facet>> readFacets(CallEngine& engine,
                                      const FacetRows& rows,
                                      const query::Fields& fields,
                                      const FacetQuery& query);

/// Finds the paths in the attributes of the newest calls.
Result<CallAttributes> readAttributes(CallEngine& engine,
                                      const FacetRows& rows,
                                      const AttributeQuery& query);

}  // namespace spindle::tracing
