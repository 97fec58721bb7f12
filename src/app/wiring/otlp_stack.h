#pragma once

#include "agents/api/otlp_api.h"
#include "agents/ingest/op_placeholders.h"
#include "agents/ingest/sampler.h"
#include "app/wiring/identity_stack.h"
#include "app/wiring/object_stack.h"
#include "app/wiring/tracing_stack.h"

namespace spindle::app {

/// Ingestion of OpenTelemetry spans. The stacks passed to the constructor must outlive this object.
class OtlpStack {
 public:
  OtlpStack(const StackContext& context,
            IdentityStack& identity,
            ObjectStack& objects,
            TracingStack& tracing);

  agents::OtlpServices services();

 private:
  IdentityStack& identity_;
  TracingStack& tracing_;
  agents::OpPlaceholders ops_;
  const agents::Sampler sampler_;
  Counter& sampled_out_;
};

}  // namespace spindle::app
