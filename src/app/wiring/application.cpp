#include "app/wiring/application.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <sys/resource.h>
#include <unistd.h>

#include "app/doctor/machine_checks.h"
#include "app/server/backup_api.h"
#include "app/server/body_memory.h"
#include "app/server/built_in_prices.h"
#include "app/server/documentation_assets.h"
#include "app/server/engine_options.h"
#include "app/server/local_use.h"
#include "app/server/system_api.h"
#include "app/server/version.h"
#include "app/wiring/agent_stack.h"
#include "app/wiring/automation_stack.h"
#include "app/wiring/evaluation_stack.h"
#include "app/wiring/gateway_stack.h"
#include "app/wiring/identity_stack.h"
#include "app/wiring/inference_stack.h"
#include "app/wiring/job_stack.h"
#include "app/wiring/log.h"
#include "app/wiring/object_stack.h"
#include "app/wiring/otlp_stack.h"
#include "app/wiring/registry_stack.h"
#include "app/wiring/run_stack.h"
#include "app/wiring/tracing_stack.h"
#include "app/wiring/training_stack.h"
#include "automation/deliveries/event_dispatch.h"
#include "backup/backup_holds.h"
#include "backup/data_layout.h"
#include "backup/metadata_check.h"
#include "base/core/log.h"
#include "http/router/route_group.h"
#include "http/server/server.h"
#include "identity/api/api_key_authenticator.h"
#include "identity/api/database_idempotency_records.h"
#include "identity/api/identity_api.h"
#include "identity/api/sdk_api.h"
#include "identity/store/quota_repository.h"
#include "inference/engines/engine_supervisor.h"
#include "inference/routes/engines_api.h"
#include "inference/routes/trace_setting_api.h"
#include "jobs/job_queue.h"
#include "jobs/schedule_record.h"
#include "pricing/price_cache.h"
#include "pricing/price_repository.h"
#include "pricing/pricing_api.h"

namespace spindle::app {
namespace {

constexpr std::chrono::seconds kHousekeepingInterval{60};
constexpr std::size_t kOutboundThreads = 16;

http::ServerOptions serverOptions(const config::Settings& settings) {
  const config::ServerSettings& server = settings.server;
  const config::LimitSettings& limits = settings.limits;
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const auto or_else = [](std::int64_t chosen, std::size_t automatic) {
    return chosen > 0 ? static_cast<std::size_t>(chosen) : automatic;
  };
  http::ServerOptions options;
  options.address = server.listen.host;
  options.port = server.listen.port;
  options.io_threads = or_else(server.io_threads, std::clamp<std::size_t>(cores / 2, 2, 8));
  options.worker_threads =
      or_else(server.worker_threads, std::clamp<std::size_t>(cores * 16, 64, 256));
  options.outbound_threads = or_else(server.outbound_threads, kOutboundThreads);
  options.access_log = server.access_log;
  options.base_path = server.base_path;
  options.tls = {server.tls_certificate.string(), server.tls_key.string()};
  options.cors.allowed_origins = server.cors_origins;
  options.cors.allow_credentials = server.cors_credentials;
  options.limits.header_bytes = limits.header_bytes;
  options.limits.connections = static_cast<std::size_t>(limits.connections);
  options.limits.queued_requests = static_cast<std::size_t>(limits.queued_requests);
  const BodyMemory memory = bodyMemory(limits, Machine::inspect().memory);
  options.limits.body_memory = memory.server;
  options.limits.body_memory_per_key = memory.per_key;
  options.limits.unauthenticated_memory = memory.unauthenticated;
  options.limits.body_rate = limits.body_rate;
  options.limits.body_grace = limits.body_grace;
  options.limits.header_timeout = limits.header_timeout;
  options.limits.body_timeout = limits.body_timeout;
  options.limits.idle_timeout = limits.idle_timeout;
  options.limits.write_timeout = limits.write_timeout;
  options.limits.drain_timeout = limits.drain_timeout;
  return options;
}

http::RoutePolicy managementPolicy(const config::Settings& settings) {
  http::RoutePolicy policy;
  policy.errors = http::ErrorShape::kDetailWithCode;
  policy.body_limit = settings.limits.management_body;
  policy.json_depth = static_cast<std::size_t>(settings.limits.json_depth);
  policy.json_type_required = true;
  policy.idempotent_posts = true;
  return policy;
}

http::RoutePolicy tracingPolicy(const config::Settings& settings) {
  http::RoutePolicy policy;
  policy.errors = http::ErrorShape::kReason;
  policy.body_limit = settings.limits.body;
  policy.json_depth = static_cast<std::size_t>(settings.limits.json_depth);
  return policy;
}

http::RoutePolicy inferencePolicy(const config::Settings& settings) {
  http::RoutePolicy policy;
  policy.credentials = http::Credentials::kBearer;
  policy.errors = http::ErrorShape::kOpenAi;
  policy.body_limit = settings.limits.body;
  policy.json_depth = static_cast<std::size_t>(settings.limits.json_depth);
  return policy;
}

http::RoutePolicy trainingPolicy(const config::Settings& settings) {
  http::RoutePolicy policy = inferencePolicy(settings);
  policy.errors = http::ErrorShape::kDetail;
  return policy;
}

void useLogSettings(const config::LogSettings& settings) {
  const bool text = settings.format == config::LogFormatChoice::kText ||
                    (settings.format == config::LogFormatChoice::kAuto && ::isatty(STDERR_FILENO));
  configureLogging(settings.level, text ? LogFormat::kText : LogFormat::kJson);
}

double residentBytes() {
  std::ifstream file("/proc/self/statm");
  double total = 0;
  double resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

void addProcessMetrics(MetricRegistry& metrics) {
  metrics.gaugeFrom("spindle_process_resident_bytes", "Memory in use.", residentBytes);
  const auto started = std::chrono::steady_clock::now();
  metrics.gaugeFrom("spindle_process_uptime_seconds", "Time since the start.", [started] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  });
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

void recordSchedule(jobs::ScheduleRecord& record, Timestamp now) {
  if (const Result<void> kept = record.record(now); !kept) {
    kLog.warning("schedule_not_recorded", {{"reason", kept.error().message()}});
  }
}

/// Raises the limit of open files to the hard limit: every connection is an open file, and the
/// usual soft limit is 1024.
void raiseFileLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) kLog.warning("file_limit_not_raised");
}

/// Prints the URL for the operator, and for scripts that wait for the line.
void announce(const std::string& url, const identity::AdminKey& admin) {
  std::fprintf(stderr, "listening on %s\n", url.c_str());
  if (!admin.key.empty() && !admin.file.empty() && admin.valid) {
    std::printf("Spindle %s\n  API      %s\n  docs     %s/docs\n", std::string(version()).c_str(),
                url.c_str(), url.c_str());
    // Printed only by the start that created the key: output is often stored in logs.
    if (admin.fresh) {
      const std::string key(admin.key.reveal());
      std::printf("  API key  %s\n           (stored in %s)\n", key.c_str(), admin.file.c_str());
    } else {
      std::printf("  API key  in %s\n", admin.file.c_str());
    }
  }
  if (!admin.valid) {
    std::printf(
        "The API key in %s has been revoked. Delete this file and restart the server to get a new "
        "key.\n",
        admin.file.c_str());
  }
  std::fflush(stdout);
}

/// The signals that stop the server, blocked in every thread except the one that waits for them.
class StopSignals {
 public:
  /// Create it before any thread starts: threads inherit the signal mask.
  StopSignals() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGTERM);
    sigaddset(&set_, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    // Writing to a closed connection returns an error instead of ending the server.
    signal(SIGPIPE, SIG_IGN);
    // So does writing to a file at its size limit.
    signal(SIGXFSZ, SIG_IGN);
  }

  /// Returns true when a signal arrived, false after the timeout.
  bool waitFor(std::chrono::seconds limit) const {
    const timespec time{limit.count(), 0};
    const int signal_number = sigtimedwait(&set_, nullptr, &time);
    return signal_number > 0;
  }

 private:
  sigset_t set_{};
};

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
  if (start_empty) {
    const std::string aside = backup::setAside(folder.path(), clock.now());
    if (!aside.empty()) kLog.warning("data_set_aside", {{"folder", folder.fileAt(aside)}});
  }
  if (!settings.storage.usesPostgres()) backup::requireIntactMetadata(folder.path());
  IdentityStack stack(settings, folder, metrics, clock);
  const identity::AdminKey admin =
      identity::ensureAdmin(stack.users, stack.keys, folder, settings.auth.admin_api_key);
  setQuotas(*stack.database, settings.limits);
  LocalUse local_use(settings.server, stack.users, folder);
  jobs::ScheduleRecord schedule_record(*stack.database);
  alignSchedules(schedule_record, stack.schedule.now());

  ObjectStack object_stack(stack, folder, clock);
  RegistryStack registry_stack(stack, object_stack.blobs, clock);
  pricing::PriceRepository prices(*stack.database, clock);
  pricing::PriceCache price_cache(prices, builtInPrices());
  TracingStack tracing_stack(settings, folder, stack, object_stack, price_cache, metrics, clock);
  OtlpStack otlp_stack(settings.agents, stack, object_stack, tracing_stack, metrics);
  AgentStack agent_stack(stack, tracing_stack, registry_stack.outbox, clock);
  EvaluationStack evaluation_stack(stack, object_stack, tracing_stack, registry_stack.outbox,
                                   clock);
  AutomationStack automation_stack(
      settings, folder, stack, registry_stack, local_use,
      [&tracing_stack](const std::string& project_id, std::string_view measure, Timestamp from,
                       Timestamp to) {
        return tracing_stack.measure(project_id, measure, from, to);
      },
      metrics, clock);
  RunStack run_stack(settings, stack, registry_stack, tracing_stack,
                     &automation_stack.metricWatch(), clock);
  InferenceStack inference_stack(settings, folder, stack, registry_stack, tracing_stack, clock);
  inference::EngineSupervisor engines(
      engineOptions(settings.inference, folder),
      [&models = inference_stack.services().directory] { return models.current(); }, metrics,
      &inference_stack.quarantine());
  GatewayStack gateway_stack(settings, folder, stack, tracing_stack, inference_stack.services(),
                             engines, metrics, clock);
  TrainingStack training_stack(settings, stack, object_stack, registry_stack, run_stack,
                               inference_stack, local_use, clock);
  JobStack job_stack(settings, folder, stack, object_stack, tracing_stack, evaluation_stack,
                     gateway_stack.gateway(), clock);

  backup::BackupHolds backup_holds([&tracing_stack] { return tracing_stack.holdStore(); });

  const identity::ApiKeyAuthenticator authentication(stack.authenticator);
  const ObservedAuthenticator observed_authentication(authentication, local_use);
  identity::DatabaseIdempotencyRecords idempotency(stack.idempotency);
  http::RateLimiter rate_limiter(settings.limits.requests_per_minute, stack.schedule);
  const http::StaticAssets documentation(http::documentationAssets());
  http::Router router({&observed_authentication, &idempotency, &rate_limiter},
                      settings.wire.profile);
  addSystemRoutes(router, metrics, documentation);
  addBackupRoutes(router, backup_holds, stack.access, managementPolicy(settings));
  identity::addIdentityRoutes(
      {router, registry_stack.identityServices(), managementPolicy(settings)});
  identity::addSdkRoutes(
      {router, {stack.teams, stack.access, std::string(version())}, tracingPolicy(settings)});
  identity::addProjectRoutes(
      {router, registry_stack.projectServices(), managementPolicy(settings)});
  registry::addRegistryRoutes({router, registry_stack.services(), managementPolicy(settings)});
  runs::addRunsRoutes({router, run_stack.services(), managementPolicy(settings)});
  objects::addObjectRoutes({router, object_stack.services(), tracingPolicy(settings)});
  pricing::addPricingRoutes({router, {prices, stack.access}, tracingPolicy(settings)});
  tracing::addTracingRoutes({router, tracing_stack.services(), tracingPolicy(settings)});
  feedback::addFeedbackRoutes({router, tracing_stack.feedbackServices(), tracingPolicy(settings)});
  agents::addAgentRoutes({router, agent_stack.services(), tracingPolicy(settings)});
  evaluation::addEvaluationRoutes({router, evaluation_stack.services(), tracingPolicy(settings)});
  evaluation::addJobRoutes({router, job_stack.services(), tracingPolicy(settings)});
  agents::addOtlpRoutes({router, otlp_stack.services(), tracingPolicy(settings)});
  automation::addAutomationRoutes(
      {router, automation_stack.services(), managementPolicy(settings)});
  inference::InferenceServices inference_services = inference_stack.services();
  inference_services.flush_usage = [&gateway_stack] {
    // Reports show the stored usage, even if the disk is full.
    if (const Result<void> flushed = gateway_stack.flush(); !flushed) return;
  };
  inference_services.trained_from = [&training_stack](std::string_view model) {
    return training_stack.services().checkpoints.trainedFrom(model);
  };
  inference::addInferenceRoutes({router, inference_services, managementPolicy(settings)});
  inference::addModelListRoutes({router, inference_services, inferencePolicy(settings)});
  inference::addEngineRoutes({router,
                              {engines, inference_stack.quarantine(), stack.access, clock},
                              managementPolicy(settings)});
  inference::addTraceSettingRoutes(
      {router, {stack.access, gateway_stack.tracing()}, managementPolicy(settings)});
  inference::addCompletionRoutes({router, gateway_stack.services(), inferencePolicy(settings)});
  training::addTrainingRoutes({router, training_stack.services(), trainingPolicy(settings)});
  training::addTrainingManagementRoutes(
      {router, training_stack.services(), managementPolicy(settings)});
  training::addTrajectoryRoutes(
      {router, training_stack.exportServices(tracing_stack), managementPolicy(settings)});
  addOpenApiRoute(router);
  if (settings.training.local) {
    training_stack.addOwnTrainer(settings.training, folder, managementPolicy(settings),
                                 [&inference_stack] { return inference_stack.modelFiles(); });
  }

  http::ServerOptions server_options = serverOptions(settings);
  server_options.clients = &gateway_stack.clients();
  const ObservedService observed(router, local_use);
  http::Server server(std::move(server_options), observed, metrics);
  server.start();
  lock.announce(server.url());
  job_stack.start();
  agent_stack.start();
  automation_stack.start();
  inference_stack.start();
  engines.start();
  gateway_stack.start();
  training_stack.start();
  kLog.info("started", {{"url", server.url()}, {"version", version()}});
  announce(server.url(), admin);

  while (!signals.waitFor(kHousekeepingInterval)) {
    if (const Result<void> flushed = stack.authenticator.flushUses(); !flushed) {
      kLog.warning("key_uses_not_recorded", {{"reason", flushed.error().message()}});
    }
    recordSchedule(schedule_record, stack.schedule.now());
    local_use.refresh();
    run_stack.runMaintenance();
    // A backup copies files that these two would delete.
    backup_holds.maintain([&registry_stack, &tracing_stack] {
      registry_stack.runMaintenance();
      tracing_stack.runMaintenance();
    });
    job_stack.runMaintenance();
    automation_stack.runMaintenance();
    inference_stack.runMaintenance();
  }
  kLog.info("stopping");
  recordSchedule(schedule_record, stack.schedule.now());
  // Waiting trainers would delay the stop.
  training_stack.stop();
  const bool clean = server.stop();
  job_stack.stop();
  agent_stack.stop();
  automation_stack.stop();
  inference_stack.stop();
  engines.stop();
  const bool flushed = stack.authenticator.flushUses().has_value();
  kLog.info("stopped", {{"clean", clean}, {"flushed", flushed}});
  return 0;
}

}  // namespace spindle::app
