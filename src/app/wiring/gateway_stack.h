#pragma once

#include <optional>
#include <string>

#include "app/wiring/identity_stack.h"
#include "app/wiring/trace_store_stack.h"
#include "app/wiring/tracing_stack.h"
#include "http/client/client.h"
#include "http/client/local_clients.h"
#include "identity/access/validated_cache.h"
#include "inference/gateway/balancer.h"
#include "inference/gateway/gateway.h"
#include "inference/gateway/trace_setting_repository.h"
#include "inference/gateway/upstream_health_checker.h"
#include "inference/limits/budget_ledger.h"
#include "inference/limits/shared_budgets.h"
#include "inference/limits/usage_limiter.h"
#include "inference/routes/completion_api.h"
#include "inference/routes/inference_api.h"
#include "inference/usage/completion_calls.h"
#include "inference/usage/recorder.h"
#include "inference/usage/usage_store.h"

namespace spindle::app {

/// The gateway, which forwards model requests to engines and upstreams. Members are constructed in
/// this order and destroyed in reverse; the stacks passed to the constructor must outlive this
/// object.
class GatewayStack {
 public:
  GatewayStack(const StackContext& context,
               IdentityStack& identity,
               TraceStoreStack& stores,
               TracingStack& tracing,
               const inference::InferenceServices& inference,
               inference::EngineHost& engines,
               inference::UpstreamAdapterHost& upstream_adapters);

  inference::CompletionServices services();
  inference::Gateway& gateway() { return gateway_; }
  inference::TraceSettingRepository& tracing() { return tracing_; }
  /// Blocks until the usage of all completed requests can be read.
  Result<void> flush() { return recorder_.flush(); }

  /// Returns the HTTP clients that forward requests, for the options of the server.
  http::LocalClients& clients() { return clients_; }

  /// Starts the health checks of upstreams.
  void start();
  /// Settles the budgets that servers without a farewell had reserved.
  void runMaintenance();

 private:
  Result<std::optional<std::string>> defaultTeam(const http::Principal& caller);

  IdentityStack& identity_;
  identity::ValidatedCache<std::optional<std::string>> default_teams_;
  inference::TraceSettingRepository tracing_;
  inference::UsageStore& usage_;
  inference::CompletionCalls calls_;
  inference::Recorder recorder_;
  const std::unique_ptr<inference::SharedBudgets> shared_budgets_;  ///< null: no other server
  inference::BudgetLedger ledger_;
  inference::UsageLimiter limiter_;
  inference::Balancer balancer_;
  http::LocalClients clients_;
  http::Client health_requests_;  ///< separate, so that health checks never wait for completions
  inference::UpstreamHealthChecker health_;
  inference::Gateway gateway_;
};

}  // namespace spindle::app
