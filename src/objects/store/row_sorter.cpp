#include "objects/store/row_sorter.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"

namespace spindle::objects {
namespace {

using json::Node;

constexpr std::size_t kMaxKeyText = 256;  // texts with this common prefix sort by position
constexpr std::size_t kSlack = 1024;  // minimum number of rows kept in addition to the wanted ones

std::optional<std::size_t> indexOf(std::string_view part) {
  std::size_t index = 0;
  const auto [stop, problem] = std::from_chars(part.data(), part.data() + part.size(), index);
  if (problem != std::errc() || stop != part.data() + part.size()) return std::nullopt;
  return index;
}

std::optional<Node> at(Node node, const std::vector<std::string>& path) {
  for (const std::string& part : path) {
    if (node.isObject()) {
      const std::optional<Node> member = node.find(part);
      if (!member) return std::nullopt;
      node = *member;
      continue;
    }
    const std::optional<std::size_t> index = indexOf(part);
    if (!node.isArray() || !index || *index >= node.size()) return std::nullopt;
    auto item = node.begin();
    for (std::size_t i = 0; i < *index; ++i) ++item;
    node = *item;
  }
  return node;
}

std::optional<double> numberOf(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc() || stop != end || !std::isfinite(number)) return std::nullopt;
  return number;
}

/// Returns a negative number, zero or a positive number, as for strings.
template <class T>
int compared(const T& a, const T& b) {
  if (a < b) return -1;
  return b < a ? 1 : 0;
}

}  // namespace

Result<std::vector<std::string>> sortPath(std::string_view field) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] == '\\' && i + 1 < field.size() && field[i + 1] == '.') {
      parts.back() += field[++i];
    } else if (field[i] == '.') {
      parts.emplace_back();
    } else {
      parts.back() += field[i];
    }
  }
  const bool broken =
      std::any_of(parts.begin(), parts.end(), [](const std::string& part) { return part.empty(); });
  if (broken) {
    return Error::invalidArgument("Invalid sort field '" + std::string(field) +
                                  "': it has an empty part");
  }
  return parts;
}

RowSorter::RowSorter(std::vector<RowOrder> order, std::optional<std::size_t> wanted)
    : order_(std::move(order)), wanted_(wanted) {}

void RowSorter::add(const TableRow& row) {
  const json::Document document = json::parseStored(row.value);
  Entry entry;
  entry.position = {row.index, row.digest, row.row_id};
  for (const RowOrder& by : order_) {
    Key& key = entry.keys.emplace_back();
    const std::optional<Node> node = at(document.root(), by.path);
    if (!node || node->isNull()) continue;
    key.present = true;
    std::string text = node->isString() ? node->text() : json::compact(node->raw());
    key.number = numberOf(text);
    if (!key.number) key.text = text.substr(0, kMaxKeyText);
  }
  entries_.push_back(std::move(entry));
  if (wanted_ && entries_.size() >= *wanted_ + std::max(*wanted_, kSlack)) dropUnwanted();
}

bool RowSorter::before(const Entry& a, const Entry& b) const {
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const Key& x = a.keys[i];
    const Key& y = b.keys[i];
    if (x.present != y.present) return x.present;
    if (x.number.has_value() != y.number.has_value()) return x.number.has_value();
    const int order = x.number ? compared(*x.number, *y.number) : x.text.compare(y.text);
    if (order != 0) return order_[i].descending ? order > 0 : order < 0;
  }
  return a.position.index < b.position.index;
}

void RowSorter::dropUnwanted() {
  const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(*wanted_);
  std::nth_element(entries_.begin(), end, entries_.end(),
                   [this](const Entry& a, const Entry& b) { return before(a, b); });
  entries_.erase(end, entries_.end());
}

std::vector<RowPosition> RowSorter::finish() {
  std::sort(entries_.begin(), entries_.end(),
            [this](const Entry& a, const Entry& b) { return before(a, b); });
  std::vector<RowPosition> positions;
  positions.reserve(wanted_ ? std::min(*wanted_, entries_.size()) : entries_.size());
  for (Entry& entry : std::exchange(entries_, {})) {
    if (wanted_ && positions.size() == *wanted_) break;
    positions.push_back(std::move(entry.position));
  }
  return positions;
}

}  // namespace spindle::objects
