#include "tracing/analysis_routes/call_dimension_api.h"

#include "schema/scalar.h"

namespace spindle::tracing {

schema::Codec<std::string> dimensionCodec() {
  return schema::string({.min_length = 1, .max_length = 512});
}

Result<std::string> DimensionReader::external(std::string_view dimension,
                                              std::string_view value) const {
  if (dimension == "op_name") value = wire::opNameFor(spelling, value);
  return objects::externalRef(value, projects, spelling);
}

}  // namespace spindle::tracing
