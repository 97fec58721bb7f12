#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "json/writer.h"
#include "schema/compound.h"

namespace spindle::registry {

/// A JSON object with replaceable members. Values keep their exact text, and replacing a member
/// keeps its position.
class JsonMembers {
 public:
  explicit JsonMembers(std::string_view object) { add(object); }

  /// Adds the members of another object; replaces members with the same name.
  void add(std::string_view object);
  void set(const std::string& name, std::string json);
  /// Returns the JSON of a member, or null. The next change of the object invalidates it.
  const std::string* find(const std::string& name) const;
  std::string text() const;

 private:
  schema::MapOf<json::Text> members_;
  std::unordered_map<std::string, std::size_t> by_name_;
};

/// Merges two JSON objects: members of `changes` are added or replace members with the same name.
std::string mergedMembers(std::string_view object, std::string_view changes);

/// Returns the number of members of a JSON object.
std::size_t memberCount(std::string_view object);

}  // namespace spindle::registry
