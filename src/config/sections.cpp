#include "config/declarations.h"

namespace spindle::config {

const std::vector<Section>& sections() {
  static const std::vector<Section> all = {
      {"server", "Server", "Network and threads of the server."},
      {"limits", "Limits", "Maximum sizes, counts, rates and times of requests."},
      {"storage", "Storage", "Data folder, metadata database and secret key."},
      {"node", "Node", "This server among others that share its PostgreSQL database."},
      {"files", "Files", "Content of artifacts, file objects and training data."},
      {"traces", "Traces",
       "The store of calls, spans, feedback, history of runs and usage of the gateway."},
      {"agents", "Agents", "Ingestion of agent spans."},
      {"evaluation", "Evaluations", "Evaluations that the server runs."},
      {"inference", "Inference", "Local inference engines, and upstreams."},
      {"training", "Training",
       "The trainer that the server starts on its own machine, and external training data."},
      {"webhooks", "Webhooks", "Allowed endpoints, and delivery of webhook requests."},
      {"log", "Log", "Log output on stderr."},
      {"wire", "Wire", "Names in responses."},
      {"auth", "Authentication", "The first administrator, and browser sessions."},
      {"audit", "Audit", "The log of changes."},
  };
  return all;
}

}  // namespace spindle::config
