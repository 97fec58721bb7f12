#include "app/wiring/application.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "app/nodes/nodes_api.h"
#include "app/nodes/readiness.h"
#include "app/nodes/shared_rate.h"
#include "app/read_only/read_only_service.h"
#include "app/server/announcement.h"
#include "app/server/documentation_assets.h"
#include "app/server/local_use.h"
#include "app/server/route_policies.h"
#include "app/server/server_options.h"
#include "app/server/system_api.h"
#include "app/server/version.h"
#include "app/web/console_assets.h"
#include "app/web/console_link.h"
#include "app/web/console_pages.h"
#include "app/wiring/components.h"
#include "app/wiring/identity_stack.h"
#include "app/wiring/log.h"
#include "app/wiring/routes.h"
#include "app/wiring/server_process.h"
#include "app/wiring/server_stacks.h"
#include "automation/deliveries/event_dispatch.h"
#include "backup/data_layout.h"
#include "backup/metadata_check.h"
#include "base/process/service_manager.h"
#include "cluster/membership.h"
#include "http/server/server.h"
#include "identity/api/api_key_authenticator.h"
#include "identity/api/database_idempotency_records.h"
#include "identity/api/session_token_authenticator.h"
#include "identity/store/quota_repository.h"
#include "jobs/job_queue.h"
#include "jobs/schedule_record.h"

namespace spindle::app {
namespace {

constexpr std::chrono::seconds kHousekeepingInterval{60};
/// How often a server with a shared database looks whether the maintenance is its task.
constexpr std::chrono::milliseconds kTaskCheckInterval{2'000};

/// Checks the data folder before anything is opened or created in it.
/// @throws std::runtime_error with a message for the operator.
void prepareFolder(const StackContext& context, bool start_empty) {
  const storage::DataFolder& folder = context.folder;
  if (start_empty) {
    const std::string aside = backup::setAside(folder.path(), context.clock.now());
    if (!aside.empty()) kLog.warning("data_set_aside", {{"folder", folder.fileAt(aside)}});
  }
  if (!context.settings.storage.usesPostgres()) backup::requireIntactMetadata(folder.path());
}

/// @throws std::runtime_error when the database cannot be changed.
void setQuotas(storage::Database& database, const config::LimitSettings& limits) {
  const Result<void> set =
      identity::QuotaRepository(database).setProjectsPerTeam(limits.projects_per_team);
  if (!set) throw std::runtime_error("cannot set the quotas: " + set.error().message());
}

/// Moves all scheduled times if the wall clock was set back since the last server used this data.
/// @throws std::runtime_error when the database cannot be changed.
void alignSchedules(jobs::ScheduleRecord& record, Timestamp now) {
  const auto shift = [](storage::Session& session, std::chrono::microseconds by) {
    Result<void> shifted = jobs::JobQueue::shiftSchedule(session, by);
    return shifted ? automation::shiftDeliverySchedule(session, by) : shifted;
  };
  const Result<std::chrono::microseconds> by = record.align(now, shift);
  if (!by) throw std::runtime_error("cannot align the schedules: " + by.error().message());
  if (by->count() != 0) {
    kLog.warning("clock_was_set_back", {{"seconds", -by->count() / 1'000'000}});
  }
}

/// Returns true if another server uses the database.
bool hasOtherNodes(cluster::Membership& membership) {
  const Result<std::vector<cluster::Node>> nodes = membership.nodes();
  if (!nodes) throw std::runtime_error("cannot list the nodes: " + nodes.error().message());
  return std::any_of(nodes->begin(), nodes->end(), [&](const cluster::Node& node) {
    return node.id != membership.id() && node.state != cluster::NodeState::kLost;
  });
}

/// Registers this server among those that share its database.
/// @throws std::runtime_error when the database cannot be changed.
void joinCluster(const config::Settings& settings,
                 IdentityStack& identity,
                 ServerStacks& stacks,
                 const http::Server& server) {
  const std::string url = settings.node.url.empty() ? server.url() : settings.node.url;
  identity.membership.start(
      url, {.lost = [&stacks](const std::string& node_id) { return stacks.giveBackWork(node_id); },
            .replaced = [] { ::kill(::getpid(), SIGTERM); }});
}

/// Runs the maintenance of the components until a signal stops the server. That of the deployment
/// runs on the server that owns the task; a new owner begins at once.
void maintainUntilSignal(const StopSignals& signals,
                         IdentityStack& identity,
                         Components& components) {
  using Clock = std::chrono::steady_clock;
  const cluster::Membership& membership = identity.membership;
  const std::chrono::milliseconds tick =
      membership.isAlone() ? std::chrono::milliseconds(kHousekeepingInterval) : kTaskCheckInterval;
  Clock::time_point server_due = Clock::now() + kHousekeepingInterval;
  Clock::time_point deployment_due = server_due;
  bool was_owner = membership.owns(kMaintenanceTask);
  while (!signals.waitFor(tick)) {
    if (!membership.isAlone()) identity.followDatabaseClock();
    if (Clock::now() + tick / 2 >= server_due) {
      server_due = Clock::now() + kHousekeepingInterval;
      components.maintain(MaintenanceScope::kServer);
    }
    const bool owner = membership.owns(kMaintenanceTask);
    if (owner && (!was_owner || Clock::now() + tick / 2 >= deployment_due)) {
      deployment_due = Clock::now() + kHousekeepingInterval;
      components.maintain(MaintenanceScope::kDeployment);
    }
    was_owner = owner;
  }
}

void recordSchedule(jobs::ScheduleRecord& record, Timestamp now) {
  logFailure(record.record(now), "schedule_not_recorded");
}

http::SiteOptions siteOptions(const config::ServerSettings& server) {
  return {server.listen.host, server.public_url, server.allowed_hosts, server.trusted_proxies};
}

/// Returns a link that signs the administrator in, for a person who has never done so. Empty when
/// the output is not a terminal, because it may be stored in logs.
std::string firstSignInLink(IdentityStack& identity,
                            const config::ServerSettings& server,
                            const std::string& url,
                            const std::string& admin_id) {
  if (::isatty(STDOUT_FILENO) == 0) return {};
  const Result<bool> signed_in = identity.credentials.hasSignedIn(admin_id);
  if (!signed_in || *signed_in) return {};
  const Result<Secret> code = identity.credentials.issueCode(admin_id);
  return code ? signInLink(server, url, *code) : std::string();
}

}  // namespace

int serve(const config::Settings& settings, bool start_empty) {
  useLogSettings(settings.log);
  const StopSignals signals;
  raiseFileLimit();
  const SystemClock clock;
  MetricRegistry metrics;
  addProcessMetrics(metrics);

  const storage::DataFolder folder(settings.storage.data_dir.string());
  storage::DataFolderLock lock(folder);
  const StackContext context{settings, folder, metrics, clock};
  prepareFolder(context, start_empty);
  IdentityStack identity(context);
  const identity::AdminKey admin =
      identity::ensureAdmin(identity.users, identity.keys, folder, settings.auth.admin_api_key);
  setQuotas(*identity.database, settings.limits);
  LocalUse local_use(settings.server, identity.users, folder);
  jobs::ScheduleRecord schedule_record(*identity.database);
  if (!hasOtherNodes(identity.membership)) {
    alignSchedules(schedule_record, identity.schedule.now());
  }
  ServerStacks stacks(context, identity, local_use);

  const identity::ApiKeyAuthenticator authentication(identity.authenticator);
  const ObservedAuthenticator observed_authentication(authentication, local_use);
  identity::DatabaseIdempotencyRecords idempotency(identity.idempotency);
  http::RateLimiter rate_limiter(settings.limits.requests_per_minute, identity.schedule,
                                 sharedRateOf(identity.sharedRates(), "requests"));
  const http::StaticAssets documentation(http::documentationAssets());
  const ConsolePages console(http::consoleAssets());
  const http::Site site(siteOptions(settings.server));
  const identity::SessionTokenAuthenticator session_tokens(identity.session_authenticator);
  const ObservedSessions observed_sessions(session_tokens, local_use);
  const http::SessionCookies cookies(site, observed_sessions);
  http::Router router({&observed_authentication, &idempotency, &rate_limiter, &cookies},
                      settings.wire.profile);
  Readiness readiness(stacks.readinessChecks());
  addSystemRoutes(router, metrics, readiness, documentation);
  addNodeRoutes(router, identity.membership, identity.access, managementPolicy(settings));
  addConsoleRoutes(router, console);
  OidcStack oidc(settings, *identity.database, identity.key_ring, clock, identity.schedule,
                 identity.sharedRates());
  addSignInRoutes(router, identity, oidc, cookies, context);
  addAreaRoutes(router, stacks, context);
  addOpenApiRoute(router);
  if (settings.training.local && !settings.server.read_only) {
    stacks.training.addOwnTrainer(settings.training, folder, managementPolicy(settings),
                                  [&stacks] { return stacks.inference.modelFiles(); });
  }

  http::ServerOptions server_options = serverOptions(settings);
  server_options.clients = &stacks.gateway.clients();
  const bool read_only = settings.server.read_only;
  const ObservedService observed(router, local_use);
  const ReadOnlyService readers(observed);
  const http::Service& service = read_only ? static_cast<const http::Service&>(readers) : observed;
  http::Server server(std::move(server_options), service, metrics);

  bool clean = false;
  const auto record_schedule = [&] { recordSchedule(schedule_record, identity.schedule.now()); };
  Components components(
      [&stacks](const std::function<void()>& work) { stacks.backup_holds.maintain(work); });
  // First, so that its threads call no component that has stopped.
  components.add({.name = "database messages",
                  .lifecycle = Lifecycle([&] { identity.database->startListening(); },
                                         [&] { identity.database->stopListening(); })});
  if (!read_only) {
    components.add(
        {.name = "identity", .maintenance = Maintenance{[&] { identity.runMaintenance(); }}});
    components.add(
        {.name = "uses of keys",
         .maintenance = Maintenance{[&] { identity.flushUses(); }, MaintenanceScope::kServer}});
    components.add({.name = "schedule record", .maintenance = Maintenance{record_schedule}});
  }
  components.add(
      {.name = "local use",
       .maintenance = Maintenance{[&] { local_use.refresh(); }, MaintenanceScope::kServer}});
  components.add({.name = "HTTP server",
                  .lifecycle = Lifecycle(
                      [&] {
                        server.start();
                        lock.announce(server.url(), read_only);
                      },
                      [&] { clean = server.stop(); }, StopPhase::kRequests)});
  if (read_only) {
    stacks.addReadersTo(components);
  } else {
    stacks.addTo(components);
    if (identity.shared_limits) {
      components.add({.name = "shared limits",
                      .lifecycle = Lifecycle([&] { identity.shared_limits->start(); },
                                             [&] { identity.shared_limits->stop(); })});
    }
    // Last, so that its tasks stop before other nodes get them.
    components.add({.name = "node",
                    .lifecycle = Lifecycle([&] { joinCluster(settings, identity, stacks, server); },
                                           [&] { identity.membership.stop(); })});
  }
  components.start();
  readiness.open();
  kLog.info("started", {{"url", server.url()}, {"version", version()}, {"read_only", read_only}});
  announce(server.url(), admin,
           firstSignInLink(identity, settings.server, server.url(), admin.user_id));
  notifyServiceManager("READY=1");

  maintainUntilSignal(signals, identity, components);

  kLog.info("stopping");
  notifyServiceManager("STOPPING=1");
  const bool drains = settings.node.drain_delay.count() > 0;
  if (drains) server.retire();  // before a balancer sees that this node is not ready
  readiness.drain();
  identity.membership.drain();
  if (drains) signals.waitFor(settings.node.drain_delay);
  if (!read_only) record_schedule();
  components.stop();
  const bool flushed = read_only || identity.flushUses();
  kLog.info("stopped", {{"clean", clean}, {"flushed", flushed}});
  return 0;
}

}  // namespace spindle::app
