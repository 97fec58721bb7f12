#include "training/data/reward.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <variant>

#include "json/document.h"
#include "json/stored.h"

namespace spindle::training {
namespace {

using json::Document;
using json::Node;

/// Returns 1 if an array of strings contains the text, else 0; empty for other arrays.
std::optional<double> holds(const Node& list, std::string_view text) {
  double found = 0;
  for (const Node item : list) {
    if (!item.isString()) return std::nullopt;
    if (item.textEquals(text)) found = 1;
  }
  return found;
}

std::optional<Node> itemAt(const Node& list, std::string_view step) {
  std::size_t position = 0;
  const auto [end, problem] = std::from_chars(step.data(), step.data() + step.size(), position);
  if (problem != std::errc() || end != step.data() + step.size()) return std::nullopt;
  for (const Node item : list) {
    if (position-- == 0) return item;
  }
  return std::nullopt;
}

std::optional<double> numberOf(const Node& node) {
  if (node.isBool()) return node.boolean() ? 1.0 : 0.0;
  if (!node.isNumber()) return std::nullopt;
  return node.number();
}

/// Returns a number, or all numbers of an array.
std::vector<double> numbersOf(const Node& node) {
  std::vector<double> numbers;
  if (!node.isArray()) {
    if (const std::optional<double> one = numberOf(node)) numbers.push_back(*one);
    return numbers;
  }
  for (const Node item : node) {
    const std::optional<double> one = numberOf(item);
    if (!one) return {};
    numbers.push_back(*one);
  }
  return numbers;
}

std::vector<double> numbersIn(Node node, std::string_view path) {
  while (!path.empty()) {
    if (node.isArray() && path.find('.') == std::string_view::npos && !itemAt(node, path)) {
      const std::optional<double> held = holds(node, path);
      return held ? std::vector<double>{*held} : std::vector<double>();
    }
    const std::size_t dot = std::min(path.find('.'), path.size());
    const std::string_view step = path.substr(0, dot);
    path.remove_prefix(std::min(dot + 1, path.size()));
    std::optional<Node> next;
    if (node.isObject()) next = node.find(step);
    if (node.isArray()) next = itemAt(node, step);
    if (!next) return {};
    node = *next;
  }
  return numbersOf(node);
}

}  // namespace

std::vector<double> numbersAt(std::string json, std::string_view path) {
  const auto outcome = Document::parse(std::move(json), json::kStoredDepth);
  const auto* document = std::get_if<Document>(&outcome);
  return document != nullptr ? numbersIn(document->root(), path) : std::vector<double>();
}

std::vector<double> feedbackNumbers(std::string list,
                                    std::string_view type,
                                    std::string_view path) {
  const auto outcome = Document::parse(std::move(list), json::kStoredDepth);
  const auto* document = std::get_if<Document>(&outcome);
  if (document == nullptr || !document->root().isArray()) return {};
  std::optional<Node> newest;
  // The list is in order of creation.
  for (const Node item : document->root()) {
    if (!item.isObject()) continue;
    const std::optional<Node> its_type = item.find("feedback_type");
    if (its_type && its_type->isString() && its_type->textEquals(type)) newest = item;
  }
  if (!newest) return {};
  const std::string_view first = path.substr(0, path.find('.'));
  if (first == "scorer_ratings" || first == "scorer_tags") return numbersIn(*newest, path);
  const std::optional<Node> payload = newest->find("payload");
  return payload ? numbersIn(*payload, path) : std::vector<double>();
}

}  // namespace spindle::training
