#include "otlp/attribute_tree.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "otlp/json_text.h"

namespace spindle::otlp {
namespace {

/// Allowed empty items of all lists of a tree, in addition to one per attribute. An index is only a
/// few bytes, so it must not decide how long a list becomes.
constexpr std::size_t kMinAllowedGaps = 16;

/// Limit of the values that JSON texts become in one tree; further texts stay texts. A value needs
/// far more memory than the two bytes that can encode it.
constexpr std::size_t kMaxTextValues = 250'000;

/// Limit of the segments of a key. The rest of a longer key is one segment, so that the depth of
/// the tree does not grow with the length of a key.
constexpr std::size_t kMaxSegments = 64;

/// Limit of the name comparisons that merge members. It allows thousands of names in one map, far
/// more than any exporter's spans need.
constexpr std::size_t kMaxComparisons = 4'000'000;

/// Parses a list index: "0", "1", "27", but not "01".
std::optional<std::size_t> positionOf(std::string_view segment) {
  std::size_t position = 0;
  const char* const end = segment.data() + segment.size();
  const auto [ptr, error] = std::from_chars(segment.data(), end, position);
  if (error != std::errc() || ptr != end) return std::nullopt;
  if (segment.size() > 1 && segment.front() == '0') return std::nullopt;
  return position;
}

bool hasPositionsOnly(const Map& map) {
  return std::all_of(map.begin(), map.end(),
                     [](const Member& member) { return positionOf(member.name).has_value(); });
}

/// Merges attribute values into a tree, within the limits above.
class Merger {
 public:
  explicit Merger(TextArena& texts) : texts_(texts) {}

  /// Returns the child of `value` with the name or index `segment`, and creates it if it is
  /// missing. Null for a conflict.
  Value* descend(Value& value, std::string_view segment) {
    if (value.isNull()) value = Value(Map());
    if (List* list = value.asList()) return itemAt(*list, segment);
    return value.asMap() == nullptr ? nullptr : &memberOf(value, segment);
  }

  /// Counts an attribute. Must be called for every attribute, before it is merged.
  void countAttribute() { ++gaps_left_; }

  /// Returns true if an index would have left too many items of a list empty.
  bool isSparse() const { return sparse_; }

  /// Returns the parsed value of a JSON text, else the value itself.
  Value nativeValue(const Value& value) {
    const std::string_view* text = value.asText();
    if (text == nullptr || !(text->starts_with('[') || text->starts_with('{'))) return value;
    const std::size_t values = maxValuesIn(*text);
    if (values > text_values_left_) return value;
    std::optional<Value> parsed = parseJson(*text, texts_);
    if (!parsed) return value;
    text_values_left_ -= values;
    return *std::move(parsed);
  }

  /// Returns true if the limit of comparisons is exceeded; later values are not merged.
  bool isExhausted() const { return comparisons_ > kMaxComparisons; }

  /// Merges `from` into `into`. Returns false for a conflict.
  bool merge(Value& into, Value from) {
    if (from.isNull()) return true;
    if (into.isNull() || (!into.isStructured() && !from.isStructured())) {
      into = std::move(from);
      return true;
    }
    if (!into.isStructured() || !from.isStructured()) return false;
    if (List* list = into.asList()) {
      return from.asList() != nullptr ? lists(*list, std::move(*from.asList()))
                                      : mapIntoList(*list, std::move(*from.asMap()));
    }
    return from.asMap() != nullptr ? maps(into, std::move(*from.asMap()))
                                   : listIntoMap(into, std::move(*from.asList()));
  }

 private:
  /// Returns an upper bound of the number of values in a JSON text: each value except the first
  /// follows one of the counted characters.
  static std::size_t maxValuesIn(std::string_view json) {
    return 1 + static_cast<std::size_t>(std::count_if(json.begin(), json.end(), [](char c) {
             return c == ',' || c == '[' || c == '{';
           }));
  }

  Value* itemAt(List& list, std::string_view segment) {
    const std::optional<std::size_t> position = positionOf(segment);
    if (!position) return nullptr;
    if (*position < list.size()) return &list[*position];
    const std::size_t gap = *position - list.size();
    if (gap > gaps_left_) {
      sparse_ = true;
      return nullptr;
    }
    gaps_left_ -= gap;
    list.resize(*position + 1);
    return &list[*position];
  }

  bool lists(List& into, List from) {
    if (into.size() < from.size()) into.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (!merge(into[i], std::move(from[i]))) return false;
    }
    return true;
  }

  bool maps(Value& into, Map from) {
    for (Member& member : from) {
      if (!merge(memberOf(into, member.name), std::move(member.value))) return false;
    }
    return true;
  }

  bool mapIntoList(List& into, Map from) {
    for (Member& member : from) {
      Value* place = itemAt(into, member.name);
      if (place == nullptr || !merge(*place, std::move(member.value))) return false;
    }
    return true;
  }

  bool listIntoMap(Value& into, List from) {
    if (!hasPositionsOnly(*into.asMap())) return false;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::string name = std::to_string(i);
      Value* place = into.find(name);
      if (place == nullptr) place = &memberOf(into, texts_.keep(name));
      if (!merge(*place, std::move(from[i]))) return false;
    }
    return true;
  }

  Value& memberOf(Value& map, std::string_view name) {
    comparisons_ += map.asMap()->size();
    if (Value* known = isExhausted() ? nullptr : map.find(name)) return *known;
    return map.asMap()->emplace_back(Member{name}).value;
  }

  TextArena& texts_;
  std::size_t comparisons_ = 0;
  std::size_t gaps_left_ = kMinAllowedGaps;
  std::size_t text_values_left_ = kMaxTextValues;
  bool sparse_ = false;
};

Error conflict(std::string_view key, std::string_view at) {
  return Error::invalidArgument("Attribute '" + std::string(key) + "' conflicts with another: '" +
                                std::string(at) + "' is both a value and a group of values");
}

Error sparse(std::string_view key) {
  return Error::invalidArgument("Attribute '" + std::string(key) +
                                "' names a position too far beyond the end of its list");
}

const Value* step(const Value& value, std::string_view segment) {
  if (const List* list = value.asList()) {
    const std::optional<std::size_t> position = positionOf(segment);
    return position && *position < list->size() ? &(*list)[*position] : nullptr;
  }
  return value.find(segment);
}

}  // namespace

Result<AttributeTree> AttributeTree::build(const Attributes& attributes, TextArena& texts) {
  AttributeTree tree;
  Merger merger(texts);
  for (const Member& attribute : attributes) {
    merger.countAttribute();
    Value* at = &tree.root_;
    std::size_t begin = 0;
    for (std::size_t segment = 1; begin <= attribute.name.size(); ++segment) {
      const std::size_t dot =
          segment < kMaxSegments ? attribute.name.find('.', begin) : std::string_view::npos;
      const std::size_t end = std::min(dot, attribute.name.size());
      at = merger.descend(*at, attribute.name.substr(begin, end - begin));
      if (merger.isSparse()) return sparse(attribute.name);
      if (at == nullptr) {
        const std::size_t parent = begin == 0 ? end : begin - 1;
        return conflict(attribute.name, attribute.name.substr(0, parent));
      }
      begin = end + 1;
    }
    const bool merged = merger.merge(*at, merger.nativeValue(attribute.value));
    if (merger.isSparse()) return sparse(attribute.name);
    if (!merged) return conflict(attribute.name, attribute.name);
    if (merger.isExhausted()) return Error::invalidArgument("The span has too many attributes");
  }
  return tree;
}

const Value* AttributeTree::find(std::string_view key) const {
  const Value* at = root_.find(key);
  if (at == nullptr) {
    at = &root_;
    for (std::size_t segment = 1; at != nullptr; ++segment) {
      const std::size_t dot = segment < kMaxSegments ? key.find('.') : std::string_view::npos;
      at = step(*at, key.substr(0, dot));
      if (dot == std::string_view::npos) break;
      key.remove_prefix(dot + 1);
    }
  }
  return at == nullptr || at->isNull() ? nullptr : at;
}

Value withLists(const Value& value) {
  if (const List* list = value.asList()) {
    List made;
    made.reserve(list->size());
    for (const Value& item : *list) made.push_back(withLists(item));
    return Value(std::move(made));
  }
  const Map* map = value.asMap();
  if (map == nullptr) return value;
  const bool is_list =
      !map->empty() && std::all_of(map->begin(), map->end(), [map](const Member& m) {
        const std::optional<std::size_t> position = positionOf(m.name);
        return position && *position < map->size();
      });
  if (is_list) {
    List made(map->size());
    for (const Member& member : *map) made[*positionOf(member.name)] = withLists(member.value);
    return Value(std::move(made));
  }
  Map made;
  made.reserve(map->size());
  for (const Member& member : *map) made.push_back({member.name, withLists(member.value)});
  return Value(std::move(made));
}

}  // namespace spindle::otlp
