#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "http/router/route.h"
#include "registry/routes/registry_api.h"

namespace spindle::agents {
class SpanStore;
}
namespace spindle::automation {
class DeliveryService;
}
namespace spindle::identity {
class Access;
class ProjectRepository;
}  // namespace spindle::identity
namespace spindle::objects {
class ObjectRepository;
}
namespace spindle::runs {
class RunRepository;
}
namespace spindle::tracing {
class CallStore;
}
namespace spindle::training {
class JobService;
}

namespace spindle::app {

/// The target of a reference.
struct ResolvedReference {
  std::string kind;  ///< `call`, `trace`, `span`, `run` and so on
  std::string team;
  std::optional<std::string> project;
  std::string id;
  std::string path;  ///< of its page, relative to `/console/`, percent-encoded
};

/// The stores in which references are looked up. All must outlive the resolver.
struct ResolverPorts {
  identity::Access& access;
  identity::ProjectRepository& projects;
  tracing::CallStore& calls;
  agents::SpanStore& spans;
  runs::RunRepository& runs;
  training::JobService& jobs;
  automation::DeliveryService& deliveries;
  objects::ObjectRepository& objects;
  registry::RegistryServices registry;
};

/// Finds the target of an id or a reference among everything that a caller may read. Thread-safe;
/// blocks on the stores and may return kUnavailable and kTimeout.
class ReferenceResolver {
 public:
  /// Ids of calls, traces, spans and runs are unique only within a project: projects are searched
  /// in turn, newest first, up to these limits.
  static constexpr int kMaxProjects = 200;

  explicit ReferenceResolver(ResolverPorts ports) : ports_(ports) {}

  /// @param project `team/project` to search instead of all projects; empty: all
  /// @return kNotFound with the kinds that were looked for, also for what the caller cannot see;
  /// kInvalidArgument for a malformed reference
  Result<ResolvedReference> resolve(const http::Context& context,
                                    const std::string& ref,
                                    const std::string& project) const;

 private:
  struct Search;

  Result<std::optional<ResolvedReference>> objectOf(const http::Context& context,
                                                    const std::string& ref) const;
  Result<std::optional<ResolvedReference>> artifactOf(const http::Context& context,
                                                      const std::string& ref) const;
  Result<std::optional<ResolvedReference>> jobOf(const http::Context& context,
                                                 const std::string& id) const;
  Result<std::optional<ResolvedReference>> deliveryOf(const http::Context& context,
                                                      const std::string& id) const;
  Result<Search> projectsOf(const http::Context& context, const std::string& project) const;

  const ResolverPorts ports_;
};

}  // namespace spindle::app
