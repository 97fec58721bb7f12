#include "app/wiring/server_stacks.h"

#include <algorithm>

#include "app/server/built_in_prices.h"
#include "app/server/engine_options.h"
#include "app/server/local_use.h"
#include "app/server/worker_name.h"

namespace spindle::app {
namespace {

Result<std::string> topicScope(identity::Access& access,
                               const std::string& user_id,
                               const FollowedTopic& topic) {
  if (live::isOfTeam(topic.topic)) {
    identity::TeamAccess team =
        TRY(access.requireInTeam(user_id, topic.name, identity::Action::kListWebhooks));
    return std::move(team.team_id);
  }
  identity::ProjectAccess project = TRY(access.readProject(user_id, topic.name));
  return std::move(project.project_id);
}

LivePorts livePorts(IdentityStack& identity) {
  return {.changes = identity.changes,
          .authorize =
              [&access = identity.access](const std::string& user_id, const FollowedTopic& topic) {
                return topicScope(access, user_id, topic);
              },
          .is_valid =
              [&identity](const http::Principal& caller) {
                return caller.session_id.empty()
                           ? identity.keys.isValid(caller.user_id, caller.key_id)
                           : identity.session_authenticator.isValid(caller.session_id);
              },
          .change_token = [&database = *identity.database] { return database.changeToken(); }};
}

/// A request to an S3 server costs money.
constexpr std::chrono::seconds kFileCheckValid{10};

LiveOptions liveOptions(const config::LimitSettings& limits) {
  LiveOptions options;
  options.streams = static_cast<std::size_t>(limits.live_streams);
  options.streams_per_user = static_cast<std::size_t>(limits.live_streams_per_user);
  options.streams_per_team = limits.live_streams_per_team > 0
                                 ? static_cast<std::size_t>(limits.live_streams_per_team)
                                 : std::max<std::size_t>(options.streams / 4, 1);
  return options;
}

}  // namespace

ServerStacks::ServerStacks(const StackContext& context,
                           IdentityStack& identity_stack,
                           LocalUse& local_use)
    : identity(identity_stack),
      objects(context, identity),
      registry(identity, objects.blobs, context.clock),
      prices(*identity.database, context.clock),
      price_cache(prices, builtInPrices()),
      trace_stores(context, identity, objects),
      tracing(context, identity, objects, price_cache, trace_stores),
      otlp(context, identity, objects, tracing),
      agents(identity, tracing, registry.outbox, context.clock),
      evaluations(identity, objects, tracing, registry.outbox, context.clock),
      automation(context,
                 identity,
                 registry,
                 local_use,
                 [this](const std::string& project_id,
                        std::string_view measure,
                        Timestamp from,
                        Timestamp to) { return tracing.measure(project_id, measure, from, to); }),
      runs(context, identity, registry, trace_stores, &automation.metricWatch()),
      inference(context, identity, objects.blobs, registry, price_cache, trace_stores),
      engines(
          engineOptions(context.settings.inference, context.folder),
          [&models = inference.services().directory] { return models.current(); },
          context.metrics,
          &inference.quarantine(),
          &inference.modelFileStore()),
      gateway(context,
              identity,
              trace_stores,
              tracing,
              inference.services(),
              engines,
              inference.upstreamAdapters()),
      training(context, identity, objects, registry, runs, inference, local_use),
      jobs(context, identity, objects, tracing, evaluations, gateway.gateway()),
      backup_holds([this] { return trace_stores.hold(); }),
      live(livePorts(identity), liveOptions(context.settings.limits), context.metrics),
      live_relay(*identity.database, identity.changes, identity.membership.incarnation()),
      resolver({.access = identity.access,
                .projects = identity.projects,
                .calls = tracing.calls(),
                .spans = tracing.spans(),
                .runs = runs.services().runs,
                .jobs = training.services().jobs,
                .deliveries = automation.services().deliveries,
                .objects = objects.objects,
                .registry = registry.services()}),
      version_uses({.access = identity.access,
                    .versions = registry.versions,
                    .lineage = runs.services().lineage,
                    .jobs = training.services().job_rows,
                    .objects = objects.objects,
                    .calls = tracing.calls()}),
      file_scope_(context.settings.files.usesS3() ? MaintenanceScope::kDeployment
                                                  : MaintenanceScope::kServer),
      trace_scope_(context.settings.traces.usesClickHouse() ? MaintenanceScope::kDeployment
                                                            : MaintenanceScope::kServer) {
  if (inference::ClickHouseUsageStore* usage = trace_stores.stores().usageWithTotals())
    usage_rollup.emplace(*identity.database, Clocks{context.clock, identity.schedule},
                         identity.membership.id(), *usage);
}

std::vector<Readiness::Check> ServerStacks::readinessChecks() {
  return {{"metadata database",
           [this] {
             return identity.database->read([](storage::Session& session) -> Result<void> {
               TRY(session.query("SELECT 1 AS one"));
               return {};
             });
           }},
          {"trace store", [this] { return trace_stores.stores().check(); }},
          {"file store",
           [this]() -> Result<void> {
             const Result<std::uint64_t> size = objects.blobs.size(Sha256{});
             if (size || size.error().code() == ErrorCode::kNotFound) return {};
             return size.error();
           },
           kFileCheckValid}};
}

Result<void> ServerStacks::giveBackWork(const std::string& node_id) {
  TRY(jobs.giveBackWork(node_id));
  return {};
}

void ServerStacks::addTo(Components& components) {
  components.add({.name = "runs", .maintenance = Maintenance{[this] { runs.runMaintenance(); }}});
  components.add({.name = "registry",
                  .maintenance = Maintenance{.run = [this] { registry.runMaintenance(); },
                                             .scope = file_scope_,
                                             .skip_during_backup = true}});
  components.add({.name = "trace stores",
                  .maintenance = Maintenance{.run = [this] { trace_stores.runMaintenance(); },
                                             .scope = trace_scope_,
                                             .skip_during_backup = true}});
  components.add({.name = "tracing",
                  .maintenance = Maintenance{.run = [this] { tracing.runMaintenance(); },
                                             .scope = trace_scope_,
                                             .skip_during_backup = true}});
  components.add({.name = "jobs",
                  .lifecycle = Lifecycle([this] { jobs.start(); }, [this] { jobs.stop(); }),
                  .maintenance = Maintenance{[this] { jobs.runMaintenance(); }}});
  if (usage_rollup) {
    components.add({.name = "usage rollup",
                    .lifecycle = Lifecycle([this] { usage_rollup->start(); },
                                           [this] { usage_rollup->stop(); }),
                    .maintenance = Maintenance{[this] { usage_rollup->runMaintenance(); }}});
  }
  components.add({.name = "agents",
                  .lifecycle = Lifecycle([this] { agents.start(); }, [this] { agents.stop(); })});
  components.add(
      {.name = "automation",
       .lifecycle = Lifecycle([this] { automation.start(); }, [this] { automation.stop(); }),
       .maintenance = Maintenance{[this] { automation.runMaintenance(); }}});
  components.add(
      {.name = "inference",
       .lifecycle = Lifecycle([this] { inference.start(); }, [this] { inference.stop(); }),
       .maintenance = Maintenance{[this] { inference.runMaintenance(); }, trace_scope_}});
  components.add({.name = "engines",
                  .lifecycle = Lifecycle([this] { engines.start(); }, [this] { engines.stop(); })});
  components.add({.name = "gateway",
                  .lifecycle = Lifecycle([this] { gateway.start(); }, stopsInDestructor),
                  .maintenance = Maintenance{[this] { gateway.runMaintenance(); }}});
  components.add(
      {.name = "live relay",
       .lifecycle = Lifecycle([this] { live_relay.start(); }, [this] { live_relay.stop(); })});
  // Waiting trainers would delay the stop of the HTTP server.
  components.add({.name = "training",
                  .lifecycle = Lifecycle([this] { training.start(); }, [this] { training.stop(); },
                                         StopPhase::kBeforeRequests)});
  addLiveTo(components);
}

void ServerStacks::addReadersTo(Components& components) {
  components.add(
      {.name = "inference",
       .lifecycle = Lifecycle([this] { inference.start(); }, [this] { inference.stop(); })});
  addLiveTo(components);
}

void ServerStacks::addLiveTo(Components& components) {
  // Open streams would delay the stop of the HTTP server.
  components.add({.name = "live streams",
                  .lifecycle = Lifecycle([this] { live.start(); }, [this] { live.stop(); },
                                         StopPhase::kBeforeRequests)});
}

}  // namespace spindle::app
