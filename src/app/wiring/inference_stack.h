#pragma once

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "app/wiring/identity_stack.h"
#include "app/wiring/registry_stack.h"
#include "app/wiring/trace_store_stack.h"
#include "base/core/mutex.h"
#include "http/client/client.h"
#include "inference/adapters/adapter_quarantine_repository.h"
#include "inference/adapters/artifact_adapter_resolver.h"
#include "inference/catalogue/catalogue_cache.h"
#include "inference/catalogue/catalogue_repository.h"
#include "inference/catalogue/model_access.h"
#include "inference/limits/limit_cache.h"
#include "inference/limits/limit_repository.h"
#include "inference/model_files/model_files.h"
#include "inference/routes/inference_api.h"
#include "inference/upstream_adapters/peft_folder.h"
#include "inference/upstream_adapters/upstream_adapter_loader.h"
#include "inference/usage/usage_store.h"
#include "pricing/price_cache.h"
#include "storage/folder/file_cache.h"

namespace spindle::app {

/// The model catalogue, upstreams, adapters, limits and usage. Members are constructed in this
/// order and destroyed in reverse; the stacks passed to the constructor must outlive this object.
class InferenceStack {
 public:
  /// @throws std::runtime_error with a message for the operator.
  InferenceStack(const StackContext& context,
                 IdentityStack& identity,
                 storage::BlobStore& blobs,
                 RegistryStack& registry,
                 pricing::PriceCache& prices,
                 TraceStoreStack& stores);
  ~InferenceStack();

  inference::InferenceServices services();
  inference::AdapterQuarantineRepository& quarantine() { return quarantine_; }
  inference::UpstreamAdapterHost& upstreamAdapters() { return upstream_adapters_; }
  inference::ModelFiles& modelFileStore() { return model_file_store_; }
  /// Returns the files on this machine of all models that engines serve.
  std::vector<std::string> modelFiles() const;

  /// Starts to poll a shared database for changes by other servers.
  void start();
  void stop();
  /// Deletes old usage.
  void runMaintenance();

 private:
  void refresh();
  /// Reads the catalogue and the limits again; a message says that they have changed.
  void wakePoller();
  void pollChanges();

  IdentityStack& identity_;
  pricing::PriceCache& prices_;
  const Clock& clock_;
  const std::chrono::days usage_retention_;
  const bool shared_;  ///< other servers may change the database
  http::Client client_;
  inference::CatalogueRepository catalogue_;
  inference::CatalogueCache directory_;
  inference::AdapterQuarantineRepository quarantine_;
  storage::FileCache adapter_cache_;
  inference::ModelFiles model_file_store_;
  inference::ArtifactAdapterResolver adapters_;
  inference::PeftFolder peft_folder_;
  inference::UpstreamAdapterLoader upstream_adapters_;
  inference::ModelAccess model_access_;
  inference::LimitRepository limits_;
  inference::LimitCache limit_directory_;
  inference::UsageStore& usage_;

  Mutex mutex_;
  Condition changed_;
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;
  bool woken_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::thread poller_;
};

}  // namespace spindle::app
