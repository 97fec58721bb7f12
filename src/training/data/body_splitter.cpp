#include "training/data/body_splitter.h"

#include <utility>

#include "base/core/utf8.h"

namespace spindle::training {
namespace {

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

void BodySplitter::fail(std::string message) {
  if (!broken_) broken_ = Broken{characters_, std::move(message)};
}

bool BodySplitter::feed(std::string_view piece) {
  for (const char c : piece) {
    if (broken_) return false;
    take(c);
    if (beginsCharacter(c)) ++characters_;
  }
  return !broken_;
}

bool BodySplitter::finish() {
  if (broken_) return false;
  if (where_ == Where::kInItem || where_ == Where::kInValue) {
    fail(in_string_ ? "Unterminated string starting at" : "Expecting ',' delimiter");
  } else if (where_ == Where::kBeforeKey || where_ == Where::kInKey) {
    fail("Expecting property name enclosed in double quotes");
  } else if (where_ == Where::kBeforeColon) {
    fail("Expecting ':' delimiter");
  } else if (where_ == Where::kBeforeValue || where_ == Where::kInArray) {
    fail("Expecting value");
  } else if (where_ == Where::kAfterValue) {
    fail("Expecting ',' delimiter");
  }
  return !broken_;
}

void BodySplitter::take(char c) {
  switch (where_) {
    case Where::kStart:
      if (isSpace(c)) return;
      where_ = c == '{' ? Where::kBeforeKey : Where::kOpaque;
      skeleton_ += c;
      return;
    case Where::kOpaque:
      skeleton_ += c;
      return;
    case Where::kBeforeKey:
      return takeBeforeKey(c);
    case Where::kInKey:
      return takeInKey(c);
    case Where::kBeforeColon:
      if (isSpace(c)) return;
      if (c != ':') return fail("Expecting ':' delimiter");
      skeleton_ += ':';
      where_ = Where::kBeforeValue;
      return;
    case Where::kBeforeValue:
      return takeBeforeValue(c);
    case Where::kInArray:
      return takeInArray(c);
    case Where::kInValue:
    case Where::kInItem:
      return takeInside(c);
    case Where::kAfterValue:
      return takeAfterValue(c);
    case Where::kAfterEnd:
      if (!isSpace(c)) fail("Extra data");
      return;
  }
}

/// Starts a key, or ends the object if it is empty.
void BodySplitter::takeBeforeKey(char c) {
  if (isSpace(c)) return;
  if (c == '}' && skeleton_.back() == '{') {
    skeleton_ += c;
    where_ = Where::kAfterEnd;
  } else if (c == '"') {
    key_.clear();
    where_ = Where::kInKey;
  } else {
    fail("Expecting property name enclosed in double quotes");
  }
}

/// Collects a key; its closing quote adds it to the skeleton.
void BodySplitter::takeInKey(char c) {
  if (c == '"' && !escaped_) {
    skeleton_ += '"' + key_ + '"';
    where_ = Where::kBeforeColon;
    return;
  }
  escaped_ = c == '\\' && !escaped_;
  key_ += c;
}

/// Starts the value of a member: the array whose items are split off, or any other value.
void BodySplitter::takeBeforeValue(char c) {
  if (isSpace(c)) return;
  depth_ = 0;
  in_string_ = escaped_ = false;
  // If the name occurs twice, the parser decides.
  if (c == '[' && key_ == array_member_ && !split_) {
    split_ = true;
    wants_item_ = after_item_ = false;
    skeleton_ += '[';
    where_ = Where::kInArray;
    return;
  }
  scalar_ = c != '"' && c != '[' && c != '{';
  where_ = Where::kInValue;
  takeInside(c);
}

/// Continues with the next member, or ends the object.
void BodySplitter::takeAfterValue(char c) {
  if (isSpace(c)) return;
  skeleton_ += c;
  if (c == ',') {
    where_ = Where::kBeforeKey;
  } else if (c == '}') {
    where_ = Where::kAfterEnd;
  } else {
    fail("Expecting ',' delimiter");
  }
}

void BodySplitter::takeInArray(char c) {
  if (isSpace(c)) return;
  if (c == ']' && !wants_item_) {
    skeleton_ += ']';
    where_ = Where::kAfterValue;
    return;
  }
  if (after_item_) {
    if (c != ',') return fail("Expecting ',' delimiter");
    after_item_ = false;
    wants_item_ = true;
    return;
  }
  if (c == ',' || c == ']') return fail("Expecting value");
  item_.clear();
  item_begins_ = characters_;
  depth_ = 0;
  in_string_ = escaped_ = false;
  scalar_ = c != '"' && c != '[' && c != '{';
  where_ = Where::kInItem;
  takeInside(c);
}

/// Tracks strings and brackets. @return true if the value ends with this character
bool BodySplitter::insideEnds(char c) {
  if (in_string_) {
    in_string_ = escaped_ || c != '"';
    escaped_ = c == '\\' && !escaped_;
    return !in_string_ && depth_ == 0;
  }
  if (c == '"') {
    in_string_ = true;
  } else if (c == '{' || c == '[') {
    ++depth_;
  } else if (c == '}' || c == ']') {
    if (depth_ > 0) --depth_;
    return depth_ == 0;
  }
  return false;
}

void BodySplitter::takeInside(char c) {
  const bool item = where_ == Where::kInItem;
  std::string& text = item ? item_ : skeleton_;
  const bool closes = scalar_ && (c == ',' || c == '}' || c == ']' || isSpace(c));
  bool ends = closes;
  if (!closes) {
    text += c;
    ends = !scalar_ && insideEnds(c);
  }
  if (!ends) return;
  if (item) {
    on_item_(std::exchange(item_, {}), item_begins_);
    where_ = Where::kInArray;
    after_item_ = true;
    wants_item_ = false;
  } else {
    where_ = Where::kAfterValue;
  }
  if (closes) take(c);
}

}  // namespace spindle::training
