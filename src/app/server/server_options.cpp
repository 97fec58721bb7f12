#include "app/server/server_options.h"

#include <algorithm>
#include <thread>

#include "app/doctor/machine_checks.h"
#include "app/server/body_memory.h"

namespace spindle::app {
namespace {

constexpr std::size_t kOutboundThreads = 16;

}  // namespace

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

}  // namespace spindle::app
