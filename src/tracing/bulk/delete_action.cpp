#include "tracing/bulk/delete_action.h"

#include "identity/audit/audit_trail.h"
#include "schema/parse.h"
#include "schema/record.h"
#include "tracing/store/call_deletion.h"
#include "tracing/store/call_store.h"

namespace spindle::tracing {
namespace {

struct NoParameters {};

}  // namespace

Result<std::string> DeleteAction::prepare(const BulkScope& /*scope*/,
                                          std::string_view parameters) const {
  static const schema::Codec<NoParameters> codec =
      schema::Record<NoParameters>("BulkDelete", schema::Extra::kForbid).codec();
  TRY(schema::parse(codec, std::string(parameters), "parameters"));
  return std::string("{}");
}

Result<BulkResult> DeleteAction::apply(const BulkWork& work,
                                       const std::vector<std::string>& call_ids) const {
  TRY(deleteWithDescendants(calls_, audit_, work.scope.project, call_ids));
  return BulkResult();
}

}  // namespace spindle::tracing
