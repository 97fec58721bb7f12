#include "feedback/payload_schema.h"

#include <algorithm>
#include <array>
#include <map>
#include <variant>

#include "json/document.h"
#include "json/stored.h"

namespace spindle::feedback {
namespace {

using json::Node;

constexpr std::size_t kMaxPaths = 1000;
constexpr int kMaxPayloadDepth = 16;

/// Number of occurrences of a leaf by ValueType.
using Counts = std::array<std::size_t, 3>;
using Leaves = std::map<std::string, Counts>;

std::string extended(const std::string& path, const std::string& name) {
  std::string longer = path.empty() ? "" : path + ".";
  for (const char c : name) {
    if (c == '.') longer += '\\';
    longer += c;
  }
  return longer;
}

void collect(const Node& node, const std::string& path, int depth, Leaves& leaves) {
  if (node.isObject() && depth < kMaxPayloadDepth) {
    for (auto at = node.begin(); at != node.end(); ++at) {
      const std::string name = (*at).text();
      ++at;
      collect(*at, extended(path, name), depth + 1, leaves);
    }
    return;
  }
  const bool leaf = node.isNumber() || node.isBool() || node.isString();
  if (!leaf || (leaves.size() >= kMaxPaths && leaves.count(path) == 0)) return;
  const ValueType type = node.isNumber() ? ValueType::kNumeric
                         : node.isBool() ? ValueType::kBoolean
                                         : ValueType::kCategorical;
  ++leaves[path][static_cast<std::size_t>(type)];
}

}  // namespace

std::vector<PayloadPath> payloadPathsOf(const std::vector<std::string>& payloads) {
  Leaves leaves;
  for (const std::string& payload : payloads) {
    const auto outcome = json::Document::parse(payload, json::kStoredDepth);
    if (const auto* document = std::get_if<json::Document>(&outcome)) {
      collect(document->root(), "", 0, leaves);
    }
  }
  std::vector<PayloadPath> paths;
  for (const auto& [path, counts] : leaves) {
    const auto most = std::max_element(counts.begin(), counts.end());
    paths.push_back({path, static_cast<ValueType>(most - counts.begin())});
  }
  return paths;
}

}  // namespace spindle::feedback
