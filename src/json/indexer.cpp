#include "json/indexer.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include <simdjson.h>

#include "json/escape.h"

namespace spindle::json {
namespace {

/// More than this is given back after use, so that one large request leaves no large buffer.
constexpr std::size_t kKeptCapacity = 1024 * 1024;

using Scanner = simdjson::internal::dom_parser_implementation;

/// The scanner of this thread with room for `size` bytes; null when there is no memory.
Scanner* scannerFor(std::size_t size) {
  thread_local std::unique_ptr<Scanner> scanner;
  const bool too_small = !scanner || scanner->capacity() < size;
  const bool too_large = scanner && scanner->capacity() > kKeptCapacity && size <= kKeptCapacity;
  if (too_small || too_large) {
    scanner.reset();
    const std::size_t capacity = std::max<std::size_t>(size, 64 * 1024);
    const simdjson::implementation& implementation = *simdjson::get_active_implementation();
    // Depth 1: the second stage, which would use its stack, is ours.
    if (implementation.create_dom_parser_implementation(capacity, 1, scanner)) scanner.reset();
  }
  return scanner.get();
}

bool isSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

Indexer::Indexer(Document& document, std::size_t max_depth)
    : text_(document.text_), entries_(document.entries_), max_depth_(max_depth) {}

bool Indexer::run() { return !text_.empty() && findTokens() && walk(); }

bool Indexer::findTokens() {
  if (text_.size() > std::numeric_limits<std::uint32_t>::max() - simdjson::SIMDJSON_PADDING) {
    return false;
  }
  text_.reserve(text_.size() + simdjson::SIMDJSON_PADDING);
  Scanner* scanner = scannerFor(text_.size());
  if (scanner == nullptr) return false;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text_.data());
  if (scanner->stage1(bytes, text_.size(), simdjson::stage1_mode::regular)) return false;
  tokens_ = scanner->structural_indexes.get();
  count_ = scanner->n_structural_indexes;
  entries_.reserve(count_ / 2 + 2);
  return count_ > 0;
}

bool Indexer::walk() {
  if (!value()) return false;
  while (!open_.empty()) {
    const bool object = open_.back().object;
    const char c = current();
    const bool first = entries_.size() == open_.back().entry + 1;
    if (c == (object ? '}' : ']')) {
      close();
      continue;
    }
    if (!first) {
      if (c != ',') return false;
      ++token_;
    }
    if (object && !memberName()) return false;
    if (!value()) return false;
    // A scalar is done; a container closes itself and is counted where it was opened.
  }
  return token_ == count_;
}

bool Indexer::value() {
  const char c = current();
  switch (c) {
    case '{':
    case '[': {
      if (open_.size() >= max_depth_) return false;
      if (!open_.empty()) ++entries_[open_.back().entry].count;
      const bool object = c == '{';
      const auto entry = static_cast<std::uint32_t>(entries_.size());
      add(object ? Kind::kObject : Kind::kArray, position(), 0);
      open_.push_back({entry, object});
      ++token_;
      return true;
    }
    case '"':
      if (!open_.empty()) ++entries_[open_.back().entry].count;
      return string();
    case 't':
    case 'f':
    case 'n':
      if (!open_.empty()) ++entries_[open_.back().entry].count;
      if (c == 't') return word("true", Kind::kTrue);
      if (c == 'f') return word("false", Kind::kFalse);
      return word("null", Kind::kNull);
    default:
      if (!open_.empty()) ++entries_[open_.back().entry].count;
      return number();
  }
}

void Indexer::close() {
  Document::Entry& entry = entries_[open_.back().entry];
  entry.end = position() + 1;
  entry.after = static_cast<std::uint32_t>(entries_.size());
  open_.pop_back();
  ++token_;
}

bool Indexer::memberName() {
  if (current() != '"' || !string()) return false;
  if (current() != ':') return false;
  ++token_;
  return true;
}

std::uint32_t Indexer::scalarEnd() const {
  std::uint32_t end = token_ + 1 < count_ ? tokens_[token_ + 1]
                                          : static_cast<std::uint32_t>(text_.size());
  while (end > position() + 1 && isSpace(text_[end - 1])) --end;
  return end;
}

bool Indexer::string() {
  const std::uint32_t begin = position();
  const std::uint32_t end = scalarEnd();
  if (end - begin < 2 || text_[end - 1] != '"') return false;
  Document::Entry& entry = add(Kind::kString, begin, end);
  if (std::memchr(text_.data() + begin, '\\', end - begin) != nullptr) {
    entry.count = 1;
    if (!checkEscapes(text_.data() + begin + 1, text_.data() + end - 1)) return false;
  }
  ++token_;
  return true;
}

bool Indexer::word(std::string_view expected, Kind kind) {
  const std::uint32_t begin = position();
  const std::uint32_t end = scalarEnd();
  if (std::string_view(text_).substr(begin, end - begin) != expected) return false;
  add(kind, begin, end);
  ++token_;
  return true;
}

bool Indexer::number() {
  if (token_ >= count_) return false;
  const std::uint32_t begin = position();
  const std::uint32_t end = scalarEnd();
  const char* at = text_.data() + begin;
  const char* const stop = text_.data() + end;
  const auto digits = [&at, stop] {
    const char* first = at;
    while (at != stop && isDigit(*at)) ++at;
    return at != first;
  };
  Kind kind = Kind::kInteger;
  if (at != stop && *at == '-') ++at;
  if (at != stop && *at == '0') {
    ++at;
  } else if (!digits()) {
    return false;
  }
  if (at != stop && *at == '.') {
    kind = Kind::kDecimal;
    ++at;
    if (!digits()) return false;
  }
  if (at != stop && (*at == 'e' || *at == 'E')) {
    kind = Kind::kDecimal;
    ++at;
    if (at != stop && (*at == '+' || *at == '-')) ++at;
    if (!digits()) return false;
  }
  if (at != stop) return false;
  add(kind, begin, end);
  ++token_;
  return true;
}

Document::Entry& Indexer::add(Kind kind, std::uint32_t begin, std::uint32_t end) {
  const auto after = static_cast<std::uint32_t>(entries_.size() + 1);
  return entries_.emplace_back(Document::Entry{begin, end, after, 0, kind});
}

}  // namespace spindle::json
