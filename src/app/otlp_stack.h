#pragma once

#include "agents/op_placeholders.h"
#include "agents/otlp_api.h"
#include "agents/sampler.h"
#include "app/identity_stack.h"
#include "app/object_stack.h"
#include "app/tracing_stack.h"
#include "base/metrics.h"
#include "config/settings.h"

namespace spindle::app {

/// Ingestion of OpenTelemetry spans. The stacks passed to the constructor must outlive this object.
class OtlpStack {
 public:
  OtlpStack(const config::AgentSettings& settings,
            IdentityStack& identity,
            ObjectStack& objects,
            TracingStack& tracing,
            MetricRegistry& metrics);

  agents::OtlpServices services();

 private:
  IdentityStack& identity_;
  TracingStack& tracing_;
  agents::OpPlaceholders ops_;
  const agents::Sampler sampler_;
  Counter& sampled_out_;
};

}  // namespace spindle::app
