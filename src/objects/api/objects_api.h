#pragma once

#include "http/router/route.h"

namespace spindle::http {
class Router;
}
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

/// Adds /obj/*, /objs/*, /tags, /aliases, /table/*, /refs/read_batch, /file/* and /files/*.
void addObjectRoutes(http::Router& router,
                     const ObjectServices& services,
                     const http::RoutePolicy& policy);

// The groups of routes, one file each:
void addVersionRoutes(http::Router& router,
                      const ObjectServices& services,
                      const http::RoutePolicy& policy);
void addVersionQueryRoute(http::Router& router,
                          const ObjectServices& services,
                          const http::RoutePolicy& policy);
void addLabelRoutes(http::Router& router,
                    const ObjectServices& services,
                    const http::RoutePolicy& policy);
void addTableRoutes(http::Router& router,
                    const ObjectServices& services,
                    const http::RoutePolicy& policy);
void addTableQueryRoutes(http::Router& router,
                         const ObjectServices& services,
                         const http::RoutePolicy& policy);
void addRefRoutes(http::Router& router,
                  const ObjectServices& services,
                  const http::RoutePolicy& policy);
void addFileRoutes(http::Router& router,
                   const ObjectServices& services,
                   const http::RoutePolicy& policy);

}  // namespace spindle::objects
