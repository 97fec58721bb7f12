#include "trainer/worker/lease.h"

#include <optional>
#include <variant>

#include "json/document.h"
#include "json/members.h"

namespace spindle::trainer {
namespace {

std::vector<std::string> filesIn(const json::Node& root, std::string_view name) {
  std::vector<std::string> names;
  const std::optional<json::Node> place = objectIn(root, name);
  const std::optional<json::Node> files = place ? arrayIn(*place, "files") : std::nullopt;
  if (!files) return names;
  for (const json::Node file : *files) names.push_back(textIn(file, "name"));
  return names;
}

std::vector<RewardSpread> historyIn(const json::Node& root) {
  std::vector<RewardSpread> history;
  const std::optional<json::Node> points = arrayIn(root, "reward_history");
  if (!points) return history;
  for (const json::Node point : *points) {
    const std::optional<json::Node> deviation = point.find("std_dev");
    if (!deviation || !deviation->isNumber()) continue;
    history.push_back({static_cast<double>(integerIn(point, "step")), deviation->number()});
  }
  return history;
}

bool isPlainName(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

Error invalidLease() {
  return Error::invalidArgument("The server sent a job that this trainer cannot read.");
}

}  // namespace

Result<Lease> leaseOf(std::string body) {
  const auto parsed = json::Document::parse(std::move(body));
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr || !document->root().isObject()) return invalidLease();
  const json::Node root = document->root();
  const std::optional<json::Node> job = objectIn(root, "job");
  const std::optional<json::Node> lease = objectIn(root, "lease");
  const std::optional<json::Node> base = objectIn(root, "base_model");
  const std::optional<json::Node> config = objectIn(root, "config");
  if (!job || !lease || !base || !config) return invalidLease();
  Lease leased;
  leased.job_id = textIn(*job, "id");
  leased.kind = textIn(*job, "kind") == "rl" ? JobSpec::Kind::kRl : JobSpec::Kind::kSft;
  leased.token = textIn(*lease, "token");
  leased.seconds = integerIn(*lease, "seconds", leased.seconds);
  leased.base_model = textIn(*base, "name");
  leased.base_file = textIn(*base, "file");
  leased.base_size = static_cast<std::uint64_t>(integerIn(*base, "size"));
  leased.base_revision = integerIn(*base, "revision");
  leased.adapter_files = filesIn(root, "adapter");
  leased.reference_files = filesIn(root, "reference");
  leased.config = std::string(config->raw());
  leased.reward_history = historyIn(root);
  leased.has_state = objectIn(root, "state").has_value();
  leased.last_sequence = static_cast<std::uint64_t>(integerIn(root, "last_sequence"));
  if (!isPlainName(leased.job_id) || leased.token.empty() || leased.seconds <= 0)
    return invalidLease();
  for (const auto* names : {&leased.adapter_files, &leased.reference_files}) {
    for (const std::string& name : *names) {
      if (!isPlainName(name)) return invalidLease();
    }
  }
  return leased;
}

}  // namespace spindle::trainer
