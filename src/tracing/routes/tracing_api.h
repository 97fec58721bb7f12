#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/core/time.h"
#include "http/router/forward.h"
#include "http/router/route.h"
#include "objects/values/ref_conversion.h"
#include "pricing/project_prices.h"
#include "tracing/calls/call_query.h"
#include "tracing/ingest/ingest_budget.h"
#include "tracing/ingest/stored_payload.h"

namespace spindle::identity {
class Access;
class AuditTrail;
class UserRepository;
}  // namespace spindle::identity

namespace spindle::tracing {

class AnnotationItemRepository;
class AnnotationQueueRepository;
class CallStore;
struct PresenterPorts;
class RefValues;
class RetentionRepository;

/// Storage sizes of a project outside of its calls, by internal id.
struct StoredSizes {
  using SizeQuery = std::function<Result<std::int64_t>(std::string_view project_id)>;
  SizeQuery objects;
  SizeQuery tables;
  SizeQuery files;
};

/// Dependencies of the routes. Everything must outlive the router and be thread-safe.
struct TracingServices {
  identity::Access& access;
  identity::UserRepository& users;
  CallStore& calls;
  RetentionRepository& retention;
  AnnotationQueueRepository& queues;
  AnnotationItemRepository& queue_items;
  RefValues& ref_values;
  /// Returns the projects that a user may name in references.
  std::function<std::unique_ptr<objects::RefProjects>(std::string_view user_id)> ref_projects;
  /// Returns the store for the media of a project's calls.
  std::function<std::unique_ptr<MediaStore>(
      std::string_view user_id, const ProjectScope& project, wire::Spelling spelling)>
      media_store;
  /// Returns the prices of a project.
  std::function<Result<std::shared_ptr<const pricing::ProjectPrices>>(std::string_view project_id)>
      prices;
  /// Returns the feedback of calls as JSON lists, by call id, with internal references.
  std::function<Result<std::unordered_map<std::string, std::string>>(
      const ProjectScope& project,
      const std::vector<std::string>& call_ids,
      wire::Spelling spelling)>
      feedback;
  StoredSizes sizes;
  const Clock& clock;
  identity::AuditTrail& audit;
  /// Limits of one request.
  IngestLimits limits = {};
};

using TracingRoutes = http::RouteGroup<TracingServices>;

/// Adds the routes that write and read calls.
void addCallRoutes(const TracingRoutes& routes);

// The groups of routes, one source file each:
void addCallWriteRoutes(const TracingRoutes& routes);
void addCallReadRoutes(const TracingRoutes& routes);
void addCallListRoutes(const TracingRoutes& routes);

/// Returns the dependencies of a CallPresenter.
PresenterPorts presenterPorts(const TracingServices& services);

/// Returns a project that the caller may read. @return kNotFound, kInvalidArgument for an invalid
/// name.
Result<ProjectScope> readableProject(const TracingServices& services,
                                     const http::Context& context,
                                     std::string_view project);
/// Returns a project that the caller may write; creates it if it is missing.
/// @return kNotFound, kPermissionDenied, kInvalidArgument for an invalid name.
Result<ProjectScope> writableProject(const TracingServices& services,
                                     const http::Context& context,
                                     std::string_view project);

}  // namespace spindle::tracing
