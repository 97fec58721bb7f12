#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "automation/rules/event_type.h"
#include "json/writer.h"

namespace spindle::automation {

/// Writes `properties` and `required` of a JSON Schema object from the presence of its members.
class ObjectRules {
 public:
  explicit ObjectRules(json::Writer& out) : out_(out) { out_.key("properties").beginObject(); }

  void forbidIf(Presence presence, std::string_view member) {
    if (presence == Presence::kForbidden) out_.key(member).raw(R"({"type":"null"})");
  }
  /// Adds a member that may be required, with its schema: by default any value that is not null.
  void requireIf(Presence presence,
                 std::string_view member,
                 std::string_view schema = R"({"not":{"type":"null"}})") {
    if (presence != Presence::kRequired) return;
    out_.key(member).raw(schema);
    required_.push_back(member);
  }
  /// Adds a member with one of these words; null too, if it is optional.
  void words(Presence presence,
             std::string_view member,
             std::span<const std::string_view> allowed) {
    if (presence == Presence::kForbidden) return;
    writeWords(member, allowed, presence == Presence::kOptional);
    if (presence == Presence::kRequired) required_.push_back(member);
  }
  /// Adds a member with one of these words, which every object has.
  void words(std::string_view member, std::span<const std::string_view> allowed) {
    if (allowed.size() > 1) return writeWords(member, allowed, false);
    out_.key(member).beginObject().key("const").string(allowed.front()).endObject();
  }
  json::Writer& member(std::string_view name) { return out_.key(name); }
  void end() {
    out_.endObject();
    if (required_.empty()) return;
    out_.key("required").beginArray();
    for (const std::string_view name : required_) out_.string(name);
    out_.endArray();
  }

 private:
  void writeWords(std::string_view member,
                  std::span<const std::string_view> allowed,
                  bool nullable) {
    out_.key(member).beginObject().key("enum").beginArray();
    for (const std::string_view word : allowed) out_.string(word);
    if (nullable) out_.null();
    out_.endArray().endObject();
  }

  json::Writer& out_;
  std::vector<std::string_view> required_;
};

}  // namespace spindle::automation
