#include "tracing/bulk/queue_action.h"

#include "schema/compound.h"
#include "schema/parse.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "tracing/metadata/annotation_item_repository.h"
#include "tracing/metadata/annotation_queue_repository.h"
#include "tracing/metadata_routes/annotation_view_api.h"

namespace spindle::tracing {
namespace {

struct QueueParameters {
  std::string queue_id;
  std::vector<std::string> display_fields;
};

const schema::Codec<QueueParameters>& queueParametersCodec() {
  static const schema::Codec<QueueParameters> codec =
      schema::Record<QueueParameters>("BulkAddToQueue", schema::Extra::kForbid)
          .required("queue_id", &QueueParameters::queue_id,
                    schema::string({.min_length = 1, .max_length = 128}))
          .optional("display_fields", &QueueParameters::display_fields,
                    schema::list(schema::string({.max_length = 512}), {.max_items = 100}))
          .codec();
  return codec;
}

}  // namespace

Result<std::string> QueueAction::prepare(const BulkScope& scope,
                                         std::string_view parameters) const {
  const QueueParameters wanted =
      TRY(schema::parse(queueParametersCodec(), std::string(parameters), "parameters"));
  TRY(queues_.find(scope.project.id, wanted.queue_id));
  return std::string(parameters);
}

Result<BulkResult> QueueAction::apply(const BulkWork& work,
                                      const std::vector<std::string>& call_ids) const {
  const QueueParameters wanted =
      TRY(schema::parse(queueParametersCodec(), work.parameters, "parameters"));
  const std::vector<QueuedCall> calls = TRY(queuedCalls(calls_, work.scope.project, call_ids));
  TRY(items_.add(work.scope.project.id, wanted.queue_id, calls, wanted.display_fields,
                 work.scope.user_id));
  return BulkResult{static_cast<std::int64_t>(call_ids.size() - calls.size())};
}

}  // namespace spindle::tracing
