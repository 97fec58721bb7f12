#include "cluster/migrations.h"

namespace spindle::cluster {

storage::AreaSchema clusterSchema() {
  return {"cluster", {{1, "nodes and leases of tasks", R"sql(
    -- The processes of a deployment. seen_at follows the schedule clock. handled: after the node was
    -- lost, its work was given back.
    CREATE TABLE cluster_nodes (
      id TEXT PRIMARY KEY,
      incarnation TEXT NOT NULL,
      url TEXT NOT NULL,
      version TEXT NOT NULL,
      roles TEXT NOT NULL,
      draining BIGINT NOT NULL,
      handled BIGINT NOT NULL,
      started_at BIGINT NOT NULL,
      seen_at BIGINT NOT NULL);

    -- Background tasks that one node at a time does.
    CREATE TABLE cluster_leases (
      task TEXT PRIMARY KEY,
      node_id TEXT NOT NULL,
      incarnation TEXT NOT NULL,
      leased_until BIGINT NOT NULL);

    -- Token buckets: full_at is the time of the schedule clock at which the bucket is full.
    CREATE TABLE cluster_rates (
      name TEXT PRIMARY KEY,
      full_at BIGINT NOT NULL);
    CREATE INDEX cluster_rates_full ON cluster_rates (full_at);

    -- Permits to run a request that nodes hold.
    CREATE TABLE cluster_permits (
      name TEXT NOT NULL,
      node_id TEXT NOT NULL,
      permits BIGINT NOT NULL,
      leased_until BIGINT NOT NULL,
      PRIMARY KEY (name, node_id));
  )sql"}}};
}

}  // namespace spindle::cluster
