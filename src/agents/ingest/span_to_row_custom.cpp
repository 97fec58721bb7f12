#include "agents/ingest/span_to_row_custom.h"

#include <cmath>
#include <string>
#include <utility>

#include "agents/store/conventions.h"
#include "agents/store/text_characters.h"
#include "base/core/utf8.h"
#include "otlp/json_text.h"

namespace spindle::agents {
namespace {

using otlp::Value;

std::string bounded(std::string text) {
  if (text.size() <= kMaxCustomText) return text;
  const std::size_t characters = charactersIn(text);
  if (characters <= kMaxCustomText) return text;
  const std::string note = "...[truncated from " + std::to_string(characters) + " chars]";
  text.resize(firstCharacters(text, kMaxCustomText - note.size()).size());
  return text + note;
}

class Flattener {
 public:
  CustomAttributes flatten(const otlp::Map& root) {
    members(root);
    return std::move(found_);
  }

 private:
  void members(const otlp::Map& map) {
    const std::size_t length = key_.size();
    for (const otlp::Member& member : map) {
      if (count_ == kMaxCustomAttributes) return;
      if (length > 0) key_ += '.';
      key_ += member.name;
      if (key_.size() <= kMaxCustomKey) value(member.value);
      key_.resize(length);
    }
  }

  void value(const Value& value) {
    if (const otlp::Map* map = value.asMap()) {
      members(*map);
    } else if (!value.isNull() && key_bytes_ + key_.size() <= kMaxCustomKeys &&
               !conventions().isReserved(key_)) {
      leaf(value);
    }
  }

  void leaf(const Value& value) {
    if (const bool* truth = value.asBool()) {
      count(found_.booleans.emplace(key_, *truth).second);
    } else if (const std::int64_t* integer = value.asInteger()) {
      count(found_.integers.emplace(key_, *integer).second);
    } else if (const double* real = value.asReal()) {
      if (std::isfinite(*real)) count(found_.reals.emplace(key_, *real).second);
    } else if (const std::string_view* text = value.asText()) {
      if (!text->empty()) addText(std::string(*text));
    } else if (value.asList() != nullptr) {
      addText(otlp::pythonJson(value));
    } else {
      const std::string quoted = otlp::pythonJson(value);  // bytes, as Base64 in quotes
      if (quoted.size() > 2) addText(quoted.substr(1, quoted.size() - 2));
    }
  }

  void addText(std::string text) {
    count(found_.strings.emplace(key_, bounded(std::move(text))).second);
  }
  void count(bool added) {
    if (!added) return;
    ++count_;
    key_bytes_ += key_.size();
  }

  std::string key_;
  std::size_t count_ = 0;
  std::size_t key_bytes_ = 0;
  CustomAttributes found_;
};

}  // namespace

CustomAttributes customAttributesOf(const otlp::AttributeTree& attributes) {
  return Flattener().flatten(*attributes.root().asMap());
}

}  // namespace spindle::agents
