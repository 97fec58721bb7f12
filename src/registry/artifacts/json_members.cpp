#include "registry/artifacts/json_members.h"

#include <utility>

#include "json/document.h"
#include "json/stored.h"
#include "schema/scalar.h"

namespace spindle::registry {

void JsonMembers::add(std::string_view object) {
  const json::Document document = json::parseStored(std::string(object));
  const json::Node root = document.root();
  // The iterator returns name and value alternately.
  for (auto at = root.begin(); at != root.end(); ++at) {
    const std::string name = (*at).text();
    set(name, std::string((*++at).raw()));
  }
}

void JsonMembers::set(const std::string& name, std::string json) {
  const auto [found, fresh] = by_name_.try_emplace(name, members_.size());
  if (fresh) {
    members_.emplace_back(name, json::Text{std::move(json)});
  } else {
    members_[found->second].second.json = std::move(json);
  }
}

const std::string* JsonMembers::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &members_[found->second].second.json;
}

std::string JsonMembers::text() const { return schema::map(schema::anyJson()).toJson(members_); }

std::string mergedMembers(std::string_view object, std::string_view changes) {
  JsonMembers members(object);
  members.add(changes);
  return members.text();
}

std::size_t memberCount(std::string_view object) {
  return json::parseStored(std::string(object)).root().size();
}

}  // namespace spindle::registry
