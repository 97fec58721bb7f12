#include "evaluation/runner/run_summary.h"

#include <cmath>
#include <functional>
#include <optional>
#include <variant>

#include "evaluation/scoring/prompt_template.h"
#include "evaluation/scoring/scorer_text.h"
#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"

namespace spindle::evaluation {
namespace {

using json::Document;
using json::Node;
using Path = std::vector<std::string>;

constexpr std::size_t kMaxDepth = 16;

void forLeaves(const Node& node, Path& path, const std::function<void(const Node&)>& each) {
  if (!node.isObject() || path.size() >= kMaxDepth) {
    each(node);
    return;
  }
  for (auto member = node.begin(); member != node.end(); ++member) {
    path.push_back((*member).text());
    ++member;
    forLeaves(*member, path, each);
    path.pop_back();
  }
}

/// Ends JSON objects until `open` is a prefix of `path`, then begins the missing objects.
void goTo(json::Writer& out, Path& open, const Path& path) {
  std::size_t common = 0;
  while (common < open.size() && common < path.size() && open[common] == path[common]) ++common;
  for (; open.size() > common; open.pop_back()) out.endObject();
  for (; open.size() < path.size(); open.push_back(path[open.size()]))
    out.key(path[open.size()]).beginObject();
}

}  // namespace

void RunSummary::add(std::string_view output) {
  const Document document = json::parseStored(std::string(output));
  const Node root = document.root();
  if (!root.isObject()) return;
  if (const std::optional<std::string> mean = valueAt(output, "model_latency.mean")) {
    if (const std::optional<double> seconds = numberIn(*mean)) {
      latency_.add(*seconds);
    }
  }
  const std::optional<Node> scores = root.find("scores");
  if (!scores || !scores->isObject()) return;
  Path path;
  forLeaves(*scores, path, [&](const Node& leaf) {
    if (path.empty()) return;
    if (leaf.isNumber() && std::isfinite(leaf.number())) {
      leaves_[path].numbers.add(leaf.number());
    } else if (leaf.isBool()) {
      Leaf& known = leaves_[path];
      known.truths += 1;
      known.true_count += leaf.boolean() ? 1 : 0;
    }
  });
}

std::string RunSummary::json() const {
  std::string text;
  json::Writer out(text);
  Path open;
  out.beginObject();
  for (const auto& [path, leaf] : leaves_) {
    goTo(out, open, path);
    if (leaf.numbers.count > 0) out.key("mean").number(leaf.numbers.value());
    if (leaf.truths > 0) {
      out.key("true_count").integer(leaf.true_count);
      out.key("true_fraction")
          .number(static_cast<double>(leaf.true_count) / static_cast<double>(leaf.truths));
    }
  }
  goTo(out, open, {});
  if (latency_.count > 0) out.key("model_latency").raw(meanJson(latency_.value()));
  out.endObject();
  return text;
}

}  // namespace spindle::evaluation
