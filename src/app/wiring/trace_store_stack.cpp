#include "app/wiring/trace_store_stack.h"

#include <stdexcept>
#include <string>

#include "agents/store/turn_repository.h"
#include "base/crypto/crypto.h"
#include "evaluation/recording/call_names.h"
#include "tracing/metadata/queue_fields.h"

namespace spindle::app {
namespace {

std::int64_t turnEpoch(storage::Database& database) {
  const Result<std::int64_t> epoch = agents::TurnRepository::beginEpoch(database);
  if (!epoch) throw std::runtime_error("cannot number turns: " + epoch.error().message());
  return *epoch;
}

/// Returns true for a run and its rows. Scores and answers of the model are calls only.
bool isOfEvaluation(std::string_view op_name) {
  return evaluation::isEvaluate(op_name) || evaluation::isPredictAndScore(op_name);
}

}  // namespace

TraceStoreStack::TraceStoreStack(const StackContext& context,
                                 IdentityStack& identity,
                                 ObjectStack& objects)
    : identity_(identity),
      queue_items_(*identity.database, context.clock),
      ref_values_(objects.refs),
      ended_turns_(turnEpoch(*identity.database)),
      stores_(openTraceStores(
          {.settings = context.settings,
           .folder = context.folder,
           .metrics = context.metrics,
           .clock = context.clock,
           .ref_values = ref_values_,
           .queue_fields =
               [this](std::string_view project, const query::Dialect& dialect) {
                 return tracing::queueFields(queue_items_, project, dialect);
               },
           .call_changes = {.log = &identity.changes, .is_evaluation = isOfEvaluation},
           .ended_turns = ended_turns_,
           .changes = identity.changes,
           .owner = toHex(identity.key_ring.derive("traces-owner"))})) {}

void TraceStoreStack::runMaintenance() {
  stores_->removeProjects([this](std::string_view project_id) {
    const Result<identity::Project> project = identity_.projects.findById(project_id);
    return !project && project.error().code() == ErrorCode::kNotFound;
  });
}

}  // namespace spindle::app
