#include "app/wiring/otlp_stack.h"

#include <utility>

#include "objects/store/op.h"

namespace spindle::app {

OtlpStack::OtlpStack(const StackContext& context,
                     IdentityStack& identity,
                     ObjectStack& objects,
                     TracingStack& tracing)
    : identity_(identity),
      tracing_(tracing),
      ops_([&objects](
               std::string_view project_id, std::string_view object_id, std::string_view user_id) {
        return objects::publishOp(objects.files, objects.objects,
                                  {project_id, object_id, objects::kNoSource, user_id});
      }),
      sampler_(context.settings.agents.sample_rate, context.settings.agents.sample_dry_run),
      sampled_out_(
          context.metrics.counter("spindle_agents_sampled_out_spans_total",
                                  "Spans that sampling dropped, or would have in a dry run.")) {}

agents::OtlpServices OtlpStack::services() {
  tracing::TracingServices tracing = tracing_.services();
  return {.access = identity_.access,
          .spans = tracing_.spans(),
          .calls = tracing_.calls(),
          .ops = ops_,
          .sampler = sampler_,
          .sampled_out = sampled_out_,
          .retention_days = [&retention = tracing.retention](
                                std::string_view project_id) { return retention.days(project_id); },
          .ref_projects = std::move(tracing.ref_projects),
          .media_store = std::move(tracing.media_store),
          .clock = tracing.clock,
          .limits = tracing.limits};
}

}  // namespace spindle::app
