#pragma once

#include "http/router/forward.h"
#include "http/router/route.h"

namespace spindle::identity {
class Access;
class ProjectRepository;
}  // namespace spindle::identity

namespace spindle::objects {

class FileRepository;
class LabelRepository;
class ObjectRepository;
class RefReader;
class TableRepository;

/// The dependencies of the routes. All must outlive the router and its response streams.
struct ObjectServices {
  ObjectRepository& objects;
  LabelRepository& labels;
  TableRepository& tables;
  FileRepository& files;
  RefReader& refs;
  identity::Access& access;
  identity::ProjectRepository& projects;
};

using ObjectRoutes = http::RouteGroup<ObjectServices>;

/// Adds /obj/*, /objs/*, /tags, /aliases, /table/*, /refs/read_batch, /file/* and /files/*.
void addObjectRoutes(ObjectRoutes routes);

// The groups of routes, one file each:
void addVersionRoutes(ObjectRoutes routes);
void addVersionQueryRoute(ObjectRoutes routes);
void addLabelRoutes(ObjectRoutes routes);
void addTableRoutes(ObjectRoutes routes);
void addTableQueryRoutes(ObjectRoutes routes);
void addRefRoutes(ObjectRoutes routes);
void addFileRoutes(ObjectRoutes routes);

}  // namespace spindle::objects
