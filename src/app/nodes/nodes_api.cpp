#include "app/nodes/nodes_api.h"

#include <string>
#include <string_view>
#include <vector>

#include "cluster/membership.h"
#include "http/router/paging.h"
#include "http/router/route_group.h"
#include "identity/access/access.h"
#include "schema/scalar.h"

namespace spindle::app {
namespace {

using schema::list, schema::string;

struct NodeView {
  std::string id;
  std::string url;
  std::string version;
  std::string state;
  std::vector<std::string> roles;
  std::vector<std::string> tasks;
  Timestamp started_at;
  Timestamp seen_at;
};

using NodePage = http::PageReply<NodeView>;

schema::Codec<NodeView> nodeCodec() {
  return schema::Record<NodeView>("Node")
      .required("id", &NodeView::id, string(),
                "Stays the same when the process restarts on its data folder.")
      .required("url", &NodeView::url, string(), "Where other nodes reach this node.")
      .required("version", &NodeView::version, string())
      .required("state", &NodeView::state, string(),
                "`ready`, `draining` while the node stops, or `lost` without heartbeats.")
      .required("roles", &NodeView::roles, list(string()), "What the node does.")
      .required("tasks", &NodeView::tasks, list(string()),
                "Background tasks of the deployment that belong to the node at the moment.")
      .required("started_at", &NodeView::started_at, schema::dateTime())
      .required("seen_at", &NodeView::seen_at, schema::dateTime(), "Time of the latest heartbeat.")
      .codec();
}

std::vector<std::string> splitAtCommas(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

}  // namespace

void addNodeRoutes(http::Router& router,
                   cluster::Membership& membership,
                   identity::Access& access,
                   const http::RoutePolicy& policy) {
  http::RouteGroup routes(router, policy, "system");
  routes.get("/api/v1/nodes",
             {"listNodes", "List the nodes of the deployment",
              "The processes that share the metadata database. With SQLite there is one. "
              "Organization admins only."},
             {.reply = http::pageCodec("NodePage", nodeCodec())},
             [&membership, &access](const http::Context& context) -> Result<NodePage> {
               if (!TRY(access.isOrganizationAdmin(context.caller().user_id))) {
                 return Error::denied("Only an organization admin may list nodes.");
               }
               const std::vector<cluster::Node> nodes = TRY(membership.nodes());
               NodePage page;
               for (const cluster::Node& node : nodes) {
                 page.items.push_back({node.id, node.url, node.version,
                                       std::string(textOf(node.state)), splitAtCommas(node.roles),
                                       node.tasks, node.started_at, node.seen_at});
               }
               return page;
             });
}

}  // namespace spindle::app
