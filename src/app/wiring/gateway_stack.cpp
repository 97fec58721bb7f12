#include "app/wiring/gateway_stack.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/core/no_blocking.h"
#include "identity/access/default_team.h"
#include "inference/usage/usage_journal.h"

namespace spindle::app {
namespace {

/// Every relayed stream uses one connection to its upstream.
constexpr std::size_t kMostConnections = 16'384;
constexpr std::size_t kIdleConnections = 256;
/// About 120 MiB: half an hour of 100 requests per second.
constexpr std::size_t kRecordsForClickHouse = 200'000;

inference::CircuitOptions circuitOptions(const config::Settings& settings) {
  inference::CircuitOptions options;
  options.failures_in_a_row = settings.inference.circuit_failures;
  options.initial_backoff = settings.inference.circuit_pause;
  options.max_backoff = std::max(options.max_backoff, options.initial_backoff);
  return options;
}

inference::CallPorts callPorts(TracingStack& tracing, const Clock& clock) {
  const tracing::TracingServices services = tracing.services();
  return {.calls = services.calls,
          .ref_projects = services.ref_projects,
          .media_store =
              [media_store = services.media_store](std::string_view user_id,
                                                   const tracing::ProjectScope& project) {
                return media_store(user_id, project, wire::Spelling::kNeutral);
              },
          .retention_days = [&retention = services.retention](
                                std::string_view project) { return retention.days(project); },
          .clock = clock};
}

std::unique_ptr<inference::UsageJournal> usageJournal(const StackContext& context) {
  inference::UsageJournal::Options options;
  options.folder = context.folder.fileAt("usage-journal");
  options.sync = context.settings.inference.usage_sync == config::UsageSync::kEach;
  return std::make_unique<inference::UsageJournal>(std::move(options));
}

/// Returns limits with which a failure of ClickHouse does not stop the gateway for a long time.
inference::RecorderLimits recorderLimits(const config::Settings& settings) {
  inference::RecorderLimits limits;
  if (!settings.traces.usesClickHouse()) return limits;
  limits.records = kRecordsForClickHouse;
  limits.drops_traces = true;
  return limits;
}

std::vector<inference::HealthTarget> healthTargets(const inference::CatalogueCache& models) {
  std::vector<inference::HealthTarget> targets;
  const std::shared_ptr<const inference::CatalogueSnapshot> current = models.current();
  for (const auto& [id, reachable] : current->upstreams) {
    const inference::Upstream& upstream = reachable->upstream;
    targets.push_back({id, upstream.url, upstream.health_path, reachable->key});
  }
  return targets;
}

/// Embedded stores contain the usage of their own node.
inference::SharedBudgets::Recorded recordedBy(const config::Settings& settings) {
  using Recorded = inference::SharedBudgets::Recorded;
  return settings.traces.usesClickHouse() ? Recorded::kOfAllNodes : Recorded::kOfThisNode;
}

}  // namespace

GatewayStack::GatewayStack(const StackContext& context,
                           IdentityStack& identity,
                           TraceStoreStack& stores,
                           TracingStack& tracing,
                           const inference::InferenceServices& inference,
                           inference::EngineHost& engines,
                           inference::UpstreamAdapterHost& upstream_adapters)
    : identity_(identity),
      tracing_(*identity.database, context.clock),
      usage_(stores.stores().usage()),
      calls_(callPorts(tracing, context.clock)),
      recorder_(
          usage_,
          [this](std::vector<inference::TracedCompletion> traces) {
            return calls_.write(std::move(traces));
          },
          usageJournal(context),
          context.metrics,
          recorderLimits(context.settings)),
      shared_budgets_(identity.membership.isAlone() ? nullptr
                                                    : std::make_unique<inference::SharedBudgets>(
                                                          *identity.database,
                                                          identity.schedule,
                                                          identity.membership.id(),
                                                          identity.membership.incarnation(),
                                                          recordedBy(context.settings))),
      ledger_(
          [this](inference::LimitScope scope, const std::string& subject_id, Timestamp since) {
            if (NoBlocking::forbids())
              return Result<inference::NanoDollars>(Error::unavailable("Not on this thread."));
            if (Result<void> flushed = recorder_.flush(); !flushed)
              return Result<inference::NanoDollars>(std::move(flushed).error());
            return usage_.spentSince(scope, subject_id, since);
          },
          context.clock,
          shared_budgets_.get()),
      limiter_(ledger_, identity.schedule, identity.shared_limits.get()),
      balancer_(identity.schedule, circuitOptions(context.settings)),
      clients_({.connections_per_origin = kMostConnections,
                .idle_connections_per_origin = kIdleConnections,
                .ca_file = {}}),
      health_requests_(http::ClientOptions()),
      health_(health_requests_,
              balancer_,
              [&models = inference.directory] { return healthTargets(models); },
              {.interval = context.settings.inference.health_interval}),
      gateway_(
          {.relay = {clients_, balancer_, engines, upstream_adapters, recorder_, context.clock},
           .models = inference.directory,
           .model_access = inference.model_access,
           .adapters = inference.adapters,
           .limits = inference.limit_cache,
           .limiter = limiter_,
           .tracing = tracing_,
           .prices = [&cache = tracing.prices()] { return cache.defaults(); }},
          static_cast<std::size_t>(context.settings.limits.json_depth)) {
  if (identity.shared_limits) {
    identity.shared_limits->add([this] { ledger_.refresh(); }, [this] { ledger_.returnAll(); });
  }
  context.metrics.gaugeFrom("spindle_inference_requests_under_way",
                            "Requests that upstreams and engines are processing.", [this] {
                              std::int64_t sum = 0;
                              for (const auto& replica : balancer_.snapshot())
                                sum += replica.outstanding;
                              return static_cast<double>(sum);
                            });
  context.metrics.gaugeFrom(
      "spindle_inference_replicas_left_alone",
      "Upstreams that receive no requests at the moment: unhealthy, failing or busy.", [this] {
        const auto all = balancer_.snapshot();
        return static_cast<double>(std::count_if(all.begin(), all.end(), [](const auto& replica) {
          return !replica.healthy || replica.paused_until;
        }));
      });
}

inference::CompletionServices GatewayStack::services() {
  return {gateway_, identity_.access,
          [this](const http::Principal& caller) { return defaultTeam(caller); }};
}

void GatewayStack::start() { health_.start(); }

void GatewayStack::runMaintenance() {
  if (!shared_budgets_) return;
  logCount(shared_budgets_->settleAbandoned(),
           {.failed = "budgets_not_settled", .done = "budgets_settled", .field = "parts"});
}

Result<std::optional<std::string>> GatewayStack::defaultTeam(const http::Principal& caller) {
  const std::optional<std::uint64_t> token = identity_.database->changeToken();
  if (token) {
    const auto known = default_teams_.find(caller.user_id, *token);
    if (known) return *known;
  }
  Result<std::optional<std::string>> team =
      identity::defaultTeamOf(identity_.teams, identity_.access, caller.user_id, caller.username);
  if (team && token) {
    default_teams_.put(caller.user_id, *token,
                       std::make_shared<const std::optional<std::string>>(*team));
  }
  return team;
}

}  // namespace spindle::app
