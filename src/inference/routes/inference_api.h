#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "http/router/forward.h"
#include "http/router/route.h"
#include "inference/usage/usage_report.h"

namespace spindle::http {
class Client;
}  // namespace spindle::http

namespace spindle::identity {
class Access;
class ProjectRepository;
class TeamRepository;
class UserRepository;
}  // namespace spindle::identity

namespace spindle::inference {

class AdapterResolver;
class CatalogueRepository;
class LimitCache;
class LimitRepository;
class ModelAccess;
class CatalogueCache;
class ModelFiles;
class UpstreamAdapterLoader;
class UsageStore;

/// The services of the routes; all must outlive the router.
struct InferenceServices {
  identity::Access& access;
  identity::UserRepository& users;
  identity::TeamRepository& teams;
  identity::ProjectRepository& projects;
  CatalogueRepository& catalogue;
  CatalogueCache& directory;
  ModelFiles& model_files;
  ModelAccess& model_access;
  LimitRepository& limits;
  LimitCache& limit_cache;
  const UsageStore& usage;
  PricesOfProject prices;
  AdapterResolver* adapters = nullptr;  ///< null: no adapters are listed
  const UpstreamAdapterLoader& upstream_adapters;
  http::Client& client;  ///< requests the model lists of upstreams
  /// Called before usage is read, so that it includes every completed request; may be empty.
  std::function<void()> flush_usage = {};
  /// Returns the names of some models that were trained from a model; empty if training is off.
  std::function<Result<std::vector<std::string>>(std::string_view model)> trained_from = {};
  const Clock& clock;
};

using InferenceRoutes = http::RouteGroup<InferenceServices>;

/// Adds the routes /api/v1/models, /upstreams, /limits and /usage.
void addInferenceRoutes(InferenceRoutes routes);

/// Adds the routes /v1/models of OpenAI's API.
void addModelListRoutes(InferenceRoutes routes);

}  // namespace spindle::inference
