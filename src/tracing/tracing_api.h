#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "http/route.h"
#include "objects/ref_conversion.h"
#include "pricing/price_choice.h"
#include "tracing/call_selection.h"
#include "tracing/intake_budget.h"
#include "tracing/payload_json.h"

namespace spindle::http {
class Router;
}
namespace spindle::identity {
class Access;
class UserRepository;
}  // namespace spindle::identity

namespace spindle::tracing {

class AnnotationItemRepository;
class AnnotationQueueRepository;
class CallStore;
class RefValues;
class RetentionRepository;

/// How many bytes a project keeps outside its calls, by its internal id.
struct StoredSizes {
  using Ask = std::function<Result<std::int64_t>(std::string_view project_id)>;
  Ask objects;
  Ask tables;
  Ask files;
};

/// What the routes work with. Everything must outlive the router and is thread-safe.
struct TracingServices {
  identity::Access& access;
  identity::UserRepository& users;
  CallStore& calls;
  RetentionRepository& retention;
  AnnotationQueueRepository& queues;
  AnnotationItemRepository& queue_items;
  RefValues& ref_values;
  /// The projects that a user may name in references.
  std::function<std::unique_ptr<objects::RefProjects>(std::string_view user_id)> ref_projects;
  /// Where the media of a project's calls go.
  std::function<std::unique_ptr<MediaKeeper>(
      std::string_view user_id, const ProjectScope& project, wire::Spelling spelling)>
      media_keeper;
  /// What calls of a project cost.
  std::function<Result<std::shared_ptr<const pricing::ProjectPrices>>(std::string_view project_id)>
      prices;
  /// The feedback of calls as JSON lists, by call id, references internal.
  std::function<Result<std::unordered_map<std::string, std::string>>(
      const ProjectScope& project,
      const std::vector<std::string>& call_ids,
      wire::Spelling spelling)>
      feedback;
  StoredSizes sizes;
  const Clock& clock;
  /// What one request may become.
  IntakeLimits limits = {};
};

/// Adds the routes of calls: writing, reading, statistics, threads, annotation
/// queues, settings of projects.
void addTracingRoutes(http::Router& router,
                      const TracingServices& services,
                      const http::RoutePolicy& policy);

// The parts, one file each:
void addCallWriteRoutes(http::Router& router,
                        const TracingServices& services,
                        const http::RoutePolicy& policy);
void addCallReadRoutes(http::Router& router,
                       const TracingServices& services,
                       const http::RoutePolicy& policy);

void addCallStatsRoutes(http::Router& router,
                        const TracingServices& services,
                        const http::RoutePolicy& policy);
void addUsageRoutes(http::Router& router,
                    const TracingServices& services,
                    const http::RoutePolicy& policy);
void addThreadRoutes(http::Router& router,
                     const TracingServices& services,
                     const http::RoutePolicy& policy);
void addProjectSettingsRoutes(http::Router& router,
                              const TracingServices& services,
                              const http::RoutePolicy& policy);
void addAnnotationQueueRoutes(http::Router& router,
                              const TracingServices& services,
                              const http::RoutePolicy& policy);
void addAnnotationItemRoutes(http::Router& router,
                             const TracingServices& services,
                             const http::RoutePolicy& policy);

/// The project as the caller may read it. @return kNotFound, kInvalidArgument for a broken name.
Result<ProjectScope> readableProject(const TracingServices& services,
                                     const http::Context& context,
                                     std::string_view project);
/// The project, made when it is missing, as the caller may write to it.
/// @return kNotFound, kPermissionDenied, kInvalidArgument for a broken name.
Result<ProjectScope> writableProject(const TracingServices& services,
                                     const http::Context& context,
                                     std::string_view project);

}  // namespace spindle::tracing
