#include "cluster/node_registry.h"

#include <optional>

#include "storage/database/database.h"

namespace spindle::cluster {
namespace {

using storage::Row, storage::Rows, storage::Session;

Result<void> insertNode(Session& session, const Node& node, Timestamp now) {
  TRY(session.execute(
      "INSERT INTO cluster_nodes (id, incarnation, url, version, roles, draining, handled, "
      "started_at, seen_at) VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?) ON CONFLICT (id) DO UPDATE SET "
      "incarnation = excluded.incarnation, url = excluded.url, version = excluded.version, "
      "roles = excluded.roles, draining = excluded.draining, handled = 0, "
      "started_at = excluded.started_at, seen_at = excluded.seen_at",
      {node.id, node.incarnation, node.url, node.version, node.roles,
       node.state == NodeState::kDraining, node.started_at, now}));
  return {};
}

Node nodeAt(const Row& row, Timestamp now) {
  Node node{.id = row.text("id"),
            .incarnation = row.text("incarnation"),
            .url = row.text("url"),
            .version = row.text("version"),
            .roles = row.text("roles"),
            .started_at = row.time("started_at"),
            .seen_at = row.time("seen_at")};
  if (row.boolean("draining")) node.state = NodeState::kDraining;
  if (node.seen_at <= now - NodeRegistry::kLostAfter) node.state = NodeState::kLost;
  return node;
}

/// Takes the tasks whose leases have expired or never existed.
Result<void> takeFreeTasks(Session& session,
                           const Node& node,
                           const std::vector<std::string>& tasks,
                           Timestamp now,
                           Timestamp until) {
  for (const std::string& task : tasks) {
    TRY(session.execute(
        "INSERT INTO cluster_leases (task, node_id, incarnation, leased_until) "
        "VALUES (?, ?, ?, ?) ON CONFLICT (task) DO UPDATE SET node_id = excluded.node_id, "
        "incarnation = excluded.incarnation, leased_until = excluded.leased_until "
        "WHERE cluster_leases.leased_until <= ?",
        {task, node.id, node.incarnation, until, now}));
  }
  return {};
}

}  // namespace

Result<void> NodeRegistry::add(const Node& node) {
  const Timestamp now = schedule_.now();
  return database_.writeUncached([&](Session& session) -> Result<void> {
    TRY(session.execute("DELETE FROM cluster_leases WHERE node_id = ?", {node.id}));
    return insertNode(session, node, now);
  });
}

Result<NodeRegistry::HeartBeat> NodeRegistry::beat(const Node& node,
                                                   const std::vector<std::string>& tasks,
                                                   std::chrono::microseconds duration) {
  const Timestamp now = schedule_.now();
  const Timestamp until = now + duration;
  return database_.writeUncached([&](Session& session) -> Result<HeartBeat> {
    HeartBeat beat;
    const std::optional<Row> known =
        TRY(session.queryOne("SELECT incarnation FROM cluster_nodes WHERE id = ?", {node.id}));
    if (known && known->text("incarnation") != node.incarnation) {
      beat.replaced = true;
      return beat;
    }
    // A lost node may have been forgotten.
    TRY(insertNode(session, node, now));
    TRY(session.execute(
        "UPDATE cluster_leases SET leased_until = ? WHERE node_id = ? AND incarnation = ?",
        {until, node.id, node.incarnation}));
    if (node.state == NodeState::kReady) {
      const Rows free = TRY(
          session.query("SELECT task FROM cluster_leases WHERE leased_until > ? AND node_id <> ?",
                        {now, node.id}));
      std::vector<std::string> wanted = tasks;
      for (const Row& row : free) std::erase(wanted, row.text("task"));
      TRY(takeFreeTasks(session, node, wanted, now, until));
    }
    const Rows own =
        TRY(session.query("SELECT task FROM cluster_leases WHERE node_id = ? AND incarnation = ?",
                          {node.id, node.incarnation}));
    for (const Row& row : own) beat.tasks.push_back(row.text("task"));
    return beat;
  });
}

Result<void> NodeRegistry::remove(const Node& node) {
  return database_.writeUncached([&](Session& session) -> Result<void> {
    TRY(session.execute("DELETE FROM cluster_leases WHERE node_id = ? AND incarnation = ?",
                        {node.id, node.incarnation}));
    TRY(session.execute("DELETE FROM cluster_nodes WHERE id = ? AND incarnation = ?",
                        {node.id, node.incarnation}));
    return session.notify(kTasksTopic);
  });
}

Result<std::vector<Node>> NodeRegistry::list() {
  const Timestamp now = schedule_.now();
  return database_.read([&](Session& session) -> Result<std::vector<Node>> {
    std::vector<Node> nodes = TRY(collectRows(
        session.query("SELECT id, incarnation, url, version, roles, draining, started_at, seen_at "
                      "FROM cluster_nodes ORDER BY id"),
        [&](const Row& row) { return nodeAt(row, now); }));
    const Rows leases = TRY(session.query(
        "SELECT task, node_id FROM cluster_leases WHERE leased_until > ? ORDER BY task", {now}));
    for (const Row& lease : leases) {
      for (Node& node : nodes) {
        if (node.id == lease.text("node_id")) node.tasks.push_back(lease.text("task"));
      }
    }
    return nodes;
  });
}

Result<std::vector<std::string>> NodeRegistry::unhandledLosses() {
  const Timestamp lost = schedule_.now() - kLostAfter;
  return database_.read([&](Session& session) {
    return collectRows(
        session.query("SELECT id FROM cluster_nodes WHERE seen_at <= ? AND handled = 0", {lost}),
        [](const Row& row) { return row.text("id"); });
  });
}

Result<void> NodeRegistry::markHandled(std::string_view id) {
  const Timestamp lost = schedule_.now() - kLostAfter;
  return database_.writeUncached([&](Session& session) -> Result<void> {
    TRY(session.execute("UPDATE cluster_nodes SET handled = 1 WHERE id = ? AND seen_at <= ?",
                        {id, lost}));
    return {};
  });
}

Result<void> NodeRegistry::forgetLost(std::chrono::microseconds age) {
  const Timestamp before = schedule_.now() - age;
  return database_.writeUncached([&](Session& session) -> Result<void> {
    TRY(session.execute("DELETE FROM cluster_nodes WHERE seen_at <= ? AND handled = 1", {before}));
    return {};
  });
}

}  // namespace spindle::cluster
