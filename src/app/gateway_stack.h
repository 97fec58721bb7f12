#pragma once

#include <optional>
#include <string>

#include "app/identity_stack.h"
#include "app/tracing_stack.h"
#include "base/metrics.h"
#include "base/time.h"
#include "config/settings.h"
#include "http/client.h"
#include "http/local_clients.h"
#include "identity/validated_cache.h"
#include "inference/balancer.h"
#include "inference/budget_ledger.h"
#include "inference/completion_api.h"
#include "inference/completion_calls.h"
#include "inference/gateway_api.h"
#include "inference/inference_api.h"
#include "inference/limit_keeper.h"
#include "inference/recorder.h"
#include "inference/trace_setting_repository.h"
#include "inference/upstream_health_client.h"
#include "inference/usage_store.h"
#include "storage/data_folder.h"

namespace spindle::app {

/// The gateway: requests to models on their way to whoever answers them. Members are built in this
/// order and destroyed in the reverse; the stacks below must outlive it.
class GatewayStack {
 public:
  GatewayStack(const config::Settings& settings,
               const storage::DataFolder& folder,
               IdentityStack& identity,
               TracingStack& tracing,
               const inference::InferenceServices& inference,
               inference::EngineHost& engines,
               MetricRegistry& metrics,
               const Clock& clock);

  inference::CompletionServices services();
  inference::Gateway& gateway() { return gateway_; }
  inference::TraceSettingRepository& tracing() { return tracing_; }
  /// Waits until all usage of requests that have ended can be read.
  Result<void> flush() { return recorder_.flush(); }

  /// What requests are sent on with; for the server that takes them in.
  http::LocalClients& clients() { return clients_; }

  /// Looks after upstreams from now on.
  void start();

 private:
  Result<std::optional<std::string>> defaultTeam(const http::Principal& caller);

  IdentityStack& identity_;
  identity::ValidatedCache<std::optional<std::string>> default_teams_;
  inference::TraceSettingRepository tracing_;
  inference::UsageStore usage_;
  inference::CompletionCalls calls_;
  inference::Recorder recorder_;
  inference::BudgetLedger ledger_;
  inference::LimitKeeper keeper_;
  inference::Balancer balancer_;
  http::LocalClients clients_;
  http::Client health_requests_;  ///< never waits behind completions
  inference::UpstreamHealthClient health_;
  inference::Gateway gateway_;
};

}  // namespace spindle::app
