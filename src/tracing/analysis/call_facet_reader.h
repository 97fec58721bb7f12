#pragma once

#include <vector>

#include "base/core/result.h"
#include "base/core/sql_text.h"
#include "query/field.h"
#include "query/sql.h"
#include "tracing/analysis/call_sample.h"
#include "tracing/stats/call_facets.h"

namespace spindle::columnar {
class Snapshot;
}

namespace spindle::tracing {

/// The calls that facets are about. Conditions are over rows `c` of `from`.
struct FacetRows {
  CallRows calls;
  query::Sql fast;  ///< uses only columns that are read without parsing
  query::Sql slow;  ///< must hold too; empty for none
};

/// Counts the values of dimensions. Reads only the newest calls when all would take too long; a
/// value inside JSON costs more than a column. @return kUnprocessable for an unknown field.
Result<std::vector<Facet>> readFacets(columnar::Snapshot& snapshot,
                                      const FacetRows& rows,
                                      const query::Fields& fields,
                                      const FacetQuery& query);

/// Finds the paths in the attributes of the newest calls.
Result<CallAttributes> readAttributes(columnar::Snapshot& snapshot,
                                      const FacetRows& rows,
                                      const AttributeQuery& query);

}  // namespace spindle::tracing
