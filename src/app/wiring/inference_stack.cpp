#include "app/wiring/inference_stack.h"

#include <stdexcept>
#include <string>

#include "app/server/default_model.h"
#include "app/wiring/log.h"

namespace spindle::app {
namespace {

inference::PeftFolder::Options peftOptions(const StackContext& context) {
  const config::InferenceSettings& settings = context.settings.inference;
  inference::PeftFolder::Options options;
  options.is_private = settings.shared_adapters.empty();
  options.folder = options.is_private ? context.folder.fileAt("peft-adapters")
                                      : settings.shared_adapters.string();
  options.most = settings.adapter_cache;
  return options;
}

}  // namespace

InferenceStack::InferenceStack(const StackContext& context,
                               IdentityStack& identity,
                               storage::BlobStore& blobs,
                               RegistryStack& registry,
                               pricing::PriceCache& prices,
                               TraceStoreStack& stores)
    : identity_(identity),
      prices_(prices),
      clock_(context.clock),
      usage_retention_(context.settings.inference.usage_days),
      shared_(context.settings.storage.usesPostgres()),
      client_(http::ClientOptions()),
      catalogue_(*identity.database, clock_, identity.key_ring.derive("upstream-keys")),
      directory_(catalogue_),
      quarantine_(*identity.database, clock_),
      adapter_cache_(
          context.folder.fileAt("adapters"), ".gguf", context.settings.inference.adapter_cache),
      model_file_store_(blobs,
                        {.folder = context.folder.fileAt("model-files"),
                         .header_folder = context.folder.fileAt("model-headers"),
                         .most = context.settings.inference.model_cache,
                         .most_received = context.settings.inference.model_file_limit}),
      adapters_({identity.access, registry.registry_access, registry.collections, registry.versions,
                 registry.blobs, directory_, quarantine_, model_file_store_},
                adapter_cache_),
      peft_folder_(peftOptions(context)),
      upstream_adapters_(peft_folder_, context.metrics, {}),
      model_access_(identity.access, identity.teams, identity.users),
      limits_(*identity.database, clock_),
      limit_directory_(limits_),
      usage_(stores.stores().usage()) {
  identity.database->subscribe(storage::Database::kRowsTopic, [this](std::string_view table) {
    if (table.empty() || table == "inference_revisions") wakePoller();
  });
  const std::string default_model = defaultModelFile(context.settings.inference.default_model);
  const Result<bool> offered = addDefaultModel(catalogue_, default_model);
  if (!offered) throw std::runtime_error("cannot read the models: " + offered.error().message());
  if (*offered) kLog.info("default_model_added", {{"file", default_model}});
  if (const Result<void> read = directory_.refresh(); !read) {
    throw std::runtime_error("cannot read the models: " + read.error().message());
  }
  if (const Result<void> read = limit_directory_.refresh(); !read) {
    throw std::runtime_error("cannot read the limits: " + read.error().message());
  }
}

InferenceStack::~InferenceStack() { stop(); }

inference::InferenceServices InferenceStack::services() {
  return {.access = identity_.access,
          .users = identity_.users,
          .teams = identity_.teams,
          .projects = identity_.projects,
          .catalogue = catalogue_,
          .directory = directory_,
          .model_files = model_file_store_,
          .model_access = model_access_,
          .limits = limits_,
          .limit_cache = limit_directory_,
          .usage = usage_,
          .prices = [this](std::string_view project_id) { return prices_.forProject(project_id); },
          .adapters = &adapters_,
          .upstream_adapters = upstream_adapters_,
          .client = client_,
          .clock = clock_};
}

std::vector<std::string> InferenceStack::modelFiles() const {
  std::vector<std::string> files;
  const std::shared_ptr<const inference::CatalogueSnapshot> current = directory_.current();
  for (const auto& [name, model] : current->models) {
    if (!model->file.empty()) files.push_back(model->file);
  }
  return files;
}

void InferenceStack::start() {
  if (shared_) poller_ = std::thread([this] { pollChanges(); });
}

void InferenceStack::stop() {
  upstream_adapters_.stop();
  model_file_store_.stop();
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.notifyAll();
  if (poller_.joinable()) poller_.join();
}

void InferenceStack::wakePoller() {
  const MutexLock lock(mutex_);
  woken_ = true;
  changed_.notifyAll();
}

void InferenceStack::pollChanges() {
  while (true) {
    {
      const MutexLock lock(mutex_);
      if (!stopping_ && !woken_) changed_.waitFor(mutex_, kSharedPoll);
      if (stopping_) return;
      woken_ = false;
    }
    refresh();
  }
}

void InferenceStack::refresh() {
  logFailure(directory_.refresh(), "models_not_followed");
  logFailure(limit_directory_.refresh(), "limits_not_followed");
}

void InferenceStack::runMaintenance() {
  logCount(usage_.removeBefore(clock_.now() - usage_retention_),
           {.failed = "old_usage_kept", .done = "old_usage_removed", .field = "requests"});
}

}  // namespace spindle::app
