#include "app/wiring/routes.h"

#include "app/console/resolve_api.h"
#include "app/console/used_by_api.h"
#include "app/live/live_api.h"
#include "app/server/backup_api.h"
#include "app/server/route_policies.h"
#include "app/server/version.h"
#include "http/router/route_group.h"
#include "identity/api/audit_api.h"
#include "identity/api/identity_api.h"
#include "identity/api/sdk_api.h"
#include "identity/api/session_api.h"
#include "identity/sign_in_routes/invitation_api.h"
#include "identity/sign_in_routes/oidc_api.h"
#include "inference/routes/engines_api.h"
#include "inference/routes/trace_setting_api.h"
#include "pricing/pricing_api.h"
#include "tracing/analysis_routes/analysis_api.h"
#include "tracing/metadata_routes/metadata_api.h"

namespace spindle::app {
namespace {

void addIdentityRoutes(http::Router& router,
                       ServerStacks& stacks,
                       const http::RoutePolicy& management,
                       const http::RoutePolicy& tracing) {
  IdentityStack& identity = stacks.identity;
  identity::addIdentityRoutes({router, stacks.registry.identityServices(), management});
  identity::addAuditRoutes({router, {identity.audit, identity.teams, identity.access}, management});
  identity::addSdkRoutes(
      {router, {identity.teams, identity.access, std::string(version())}, tracing});
  identity::addProjectRoutes({router, stacks.registry.projectServices(), management});
}

void addTracingRoutes(http::Router& router, ServerStacks& stacks, const http::RoutePolicy& policy) {
  objects::addObjectRoutes({router, stacks.objects.services(), policy});
  pricing::addPricingRoutes({router, {stacks.prices, stacks.identity.access}, policy});
  tracing::TracingRoutes calls(router, stacks.tracing.services(), policy);
  calls.setTag("calls");
  tracing::addCallRoutes(calls);
  tracing::addAnalysisRoutes(calls);
  tracing::addTracingMetadataRoutes(calls);
  feedback::addFeedbackRoutes({router, stacks.tracing.feedbackServices(), policy});
  agents::addAgentRoutes({router, stacks.agents.services(), policy});
  evaluation::addEvaluationRoutes({router, stacks.evaluations.services(), policy});
  evaluation::addJobRoutes({router, stacks.jobs.services(), policy});
  agents::addOtlpRoutes({router, stacks.otlp.services(), policy});
}

void addInferenceRoutes(http::Router& router,
                        ServerStacks& stacks,
                        const http::RoutePolicy& management,
                        const http::RoutePolicy& completions,
                        const Clock& clock) {
  identity::Access& access = stacks.identity.access;
  inference::InferenceServices services = stacks.inference.services();
  services.flush_usage = [&gateway = stacks.gateway] {
    // Reports show the stored usage, even if the disk is full.
    if (const Result<void> flushed = gateway.flush(); !flushed) return;
  };
  services.trained_from = [&training = stacks.training](std::string_view model) {
    return training.services().checkpoints.trainedFrom(model);
  };
  inference::addInferenceRoutes({router, services, management});
  inference::addModelListRoutes({router, services, completions});
  inference::addEngineRoutes(
      {router, {stacks.engines, stacks.inference.quarantine(), access, clock}, management});
  inference::addTraceSettingRoutes({router, {access, stacks.gateway.tracing()}, management});
  inference::addCompletionRoutes({router, stacks.gateway.services(), completions});
}

void addTrainingRoutes(http::Router& router,
                       ServerStacks& stacks,
                       const http::RoutePolicy& management,
                       const http::RoutePolicy& training) {
  training::addTrainingRoutes({router, stacks.training.services(), training});
  training::addTrainingManagementRoutes({router, stacks.training.services(), management});
  training::addTrajectoryRoutes(
      {router, stacks.training.exportServices(stacks.tracing), management});
}

}  // namespace

void addSignInRoutes(http::Router& router,
                     IdentityStack& identity,
                     OidcStack& oidc,
                     const http::SessionCookies& cookies,
                     const StackContext& context) {
  const http::RoutePolicy management = managementPolicy(context.settings);
  const identity::SessionServices sessions{identity.users,
                                           identity.access,
                                           identity.sessions,
                                           identity.sign_in,
                                           cookies,
                                           context.clock,
                                           identity.session_authenticator.times()};
  const auto base_url = [&server = context.settings.server](const http::Request& request) {
    return baseUrlOf(server, request);
  };
  identity::addSessionRoutes({router, sessions, management});
  identity::addOidcRoutes(
      {router, {sessions, oidc.signIn(), oidc.attempts(), base_url}, management});
  identity::addInvitationRoutes(
      {router,
       {identity.invitations, sessions, identity.passwords, context.clock, base_url},
       management});
}

void addAreaRoutes(http::Router& router, ServerStacks& stacks, const StackContext& context) {
  const http::RoutePolicy management = managementPolicy(context.settings);
  const http::RoutePolicy tracing = tracingPolicy(context.settings);
  addBackupRoutes(router, stacks.backup_holds, stacks.identity.access, management);
  addLiveRoutes(router, stacks.live, management);
  addResolveRoutes(router, stacks.resolver, management);
  addIdentityRoutes(router, stacks, management, tracing);
  registry::addRegistryRoutes({router, stacks.registry.services(), management});
  addUsedByRoutes(router, stacks.registry.services(), stacks.version_uses, management);
  runs::addRunsRoutes({router, stacks.runs.services(), management});
  addTracingRoutes(router, stacks, tracing);
  tracing::addBulkJobRoutes({router, stacks.jobs.bulkServices(), management});
  automation::addAutomationRoutes({router, stacks.automation.services(), management});
  addInferenceRoutes(router, stacks, management, inferencePolicy(context.settings), context.clock);
  addTrainingRoutes(router, stacks, management, trainingPolicy(context.settings));
}

}  // namespace spindle::app
