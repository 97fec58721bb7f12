#include "config/toml_file.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

namespace spindle::config {
namespace {

struct Found {
  toml::source_position position;
  TomlEntry entry;
};

std::string positionText(std::string_view name, const toml::source_position& position) {
  return fmt::format("{}:{}:{}", name, position.line, position.column);
}

std::string typeDescription(toml::node_type type) {
  switch (type) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list with items that are not strings";
    case toml::node_type::date:
    case toml::node_type::time:
    case toml::node_type::date_time:
      return "a date or time";
    default:
      return "a value of another type";
  }
}

RawValue rawValueOf(const toml::node& node) {
  RawValue raw;
  raw.typed = true;
  if (const auto* text = node.as_string()) {
    raw.value = text->get();
  } else if (const auto* number = node.as_integer()) {
    raw.value = number->get();
  } else if (const auto* real = node.as_floating_point()) {
    raw.value = real->get();
  } else if (const auto* truth = node.as_boolean()) {
    raw.value = truth->get();
  } else {
    raw.value = UnsupportedValue{typeDescription(node.type())};
  }
  if (const auto* array = node.as_array()) {
    std::vector<std::string> items;
    for (const toml::node& item : *array) {
      if (const auto* text = item.as_string()) items.push_back(text->get());
    }
    if (items.size() == array->size()) raw.value = std::move(items);
  }
  return raw;
}

void collect(const toml::table& table,
             const std::string& prefix,
             std::string_view name,
             std::vector<Found>& found) {
  for (const auto& [key, node] : table) {
    const std::string full =
        prefix.empty() ? std::string(key.str()) : prefix + "." + key.str().data();
    const toml::source_position position = key.source().begin;
    const toml::table* inner = node.as_table();
    if (inner != nullptr && !inner->empty()) {
      collect(*inner, full, name, found);
      continue;
    }
    found.push_back({position, {full, positionText(name, position), rawValueOf(node)}});
  }
}

bool comesBefore(const Found& a, const Found& b) {
  return std::pair(a.position.line, a.position.column) <
         std::pair(b.position.line, b.position.column);
}

}  // namespace

TomlContent parseToml(std::string_view text, std::string_view name) {
  TomlContent content;
  try {
    const toml::table table = toml::parse(text, name);
    std::vector<Found> found;
    collect(table, "", name, found);
    std::sort(found.begin(), found.end(), comesBefore);
    for (Found& one : found) content.entries.push_back(std::move(one.entry));
  } catch (const toml::parse_error& error) {
    content.errors.push_back({positionText(name, error.source().begin),
                              fmt::format("not valid TOML: {}", error.description())});
  }
  return content;
}

}  // namespace spindle::config
