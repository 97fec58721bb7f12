#include "json/indexer.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include <simdjson.h>

#include "json/character.h"
#include "json/escape.h"

namespace spindle::json {
namespace {

/// A larger scanner buffer is released after use, so that one large request does not hold memory.
constexpr std::size_t kKeptCapacity = 1024UL * 1024;

using Scanner = simdjson::internal::dom_parser_implementation;

/// Returns this thread's scanner with a capacity of at least `size` bytes; null if out of memory.
Scanner* scannerFor(std::size_t size) {
  thread_local std::unique_ptr<Scanner> scanner;
  const bool too_small = !scanner || scanner->capacity() < size;
  const bool too_large = scanner && scanner->capacity() > kKeptCapacity && size <= kKeptCapacity;
  if (too_small || too_large) {
    const std::size_t capacity = std::max<std::size_t>(size, 64UL * 1024);
    const simdjson::implementation& implementation = *simdjson::get_active_implementation();
    // Depth 1: simdjson's second stage, which would need the stack, is not used.
    std::unique_ptr<Scanner> fresh;
    if (implementation.create_dom_parser_implementation(capacity, 1, fresh)) return nullptr;
    scanner.swap(fresh);
  }
  return scanner.get();  // NOLINT(clang-analyzer-cplusplus.NewDelete): it loses track of swap()
}

}  // namespace

bool Indexer::run() { return !document_.text_.empty() && findTokens() && walk(); }

bool Indexer::findTokens() {
  std::string& text = document_.text_;
  if (text.size() > std::numeric_limits<std::uint32_t>::max() - simdjson::SIMDJSON_PADDING) {
    return false;
  }
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  Scanner* scanner = scannerFor(text.size());
  if (scanner == nullptr) return false;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  if (scanner->stage1(bytes, text.size(), simdjson::stage1_mode::regular)) return false;
  if (scanner->n_structural_indexes == 0) return false;
  text_ = text.data();
  size_ = static_cast<std::uint32_t>(text.size());
  token_ = scanner->structural_indexes.get();
  last_ = token_ + scanner->n_structural_indexes;
  // Every value has at least one token, so one entry per token is sufficient.
  document_.entries_ =
      std::make_unique_for_overwrite<Document::Entry[]>(scanner->n_structural_indexes);
  entries_ = document_.entries_.get();
  next_escape_ = escapeFrom(0);
  return true;
}

bool Indexer::walk() {
  if (!value()) return false;
  while (!open_.empty()) {
    const Open innermost = open_.back();
    const char c = current();
    if (c == (innermost.object ? '}' : ']')) {
      close();
      continue;
    }
    const bool first = used_ == innermost.entry + 1;
    if (!first) {
      if (c != ',') return false;
      ++token_;
    }
    if (innermost.object && !memberName()) return false;
    ++entries_[innermost.entry].count;
    if (!value()) return false;
  }
  return token_ == last_;
}

bool Indexer::value() {
  switch (current()) {
    case '"':
      return string();
    case '{':
      return openContainer(true);
    case '[':
      return openContainer(false);
    case 't':
      return word("true", Kind::kTrue);
    case 'f':
      return word("false", Kind::kFalse);
    case 'n':
      return word("null", Kind::kNull);
    default:
      return number();
  }
}

bool Indexer::openContainer(bool object) {
  if (open_.size() >= max_depth_) return false;
  open_.push_back({used_, object});
  add(object ? Kind::kObject : Kind::kArray, position(), 0);
  ++token_;
  return true;
}

void Indexer::close() {
  Document::Entry& entry = entries_[open_.back().entry];
  entry.end = position() + 1;
  entry.after = used_;
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
  std::uint32_t end = token_ + 1 < last_ ? token_[1] : size_;
  while (end > position() + 1 && isSpace(text_[end - 1])) --end;
  return end;
}

std::uint32_t Indexer::escapeFrom(std::uint32_t begin) const {
  const void* found = std::memchr(text_ + begin, '\\', size_ - begin);
  if (found == nullptr) return size_;
  return static_cast<std::uint32_t>(static_cast<const char*>(found) - text_);
}

bool Indexer::escapedBefore(std::uint32_t begin, std::uint32_t end) {
  if (next_escape_ < begin) next_escape_ = escapeFrom(begin);
  return next_escape_ < end;
}

bool Indexer::string() {
  const std::uint32_t begin = position();
  const std::uint32_t end = scalarEnd();
  if (end - begin < 2 || text_[end - 1] != '"') return false;
  Document::Entry& entry = add(Kind::kString, begin, end);
  if (escapedBefore(begin, end)) {
    entry.count = 1;
    if (!checkEscapes(text_ + begin + 1, text_ + end - 1)) return false;
  }
  ++token_;
  return true;
}

bool Indexer::word(std::string_view expected, Kind kind) {
  const std::uint32_t begin = position();
  const std::uint32_t end = scalarEnd();
  if (std::string_view(text_ + begin, end - begin) != expected) return false;
  add(kind, begin, end);
  ++token_;
  return true;
}

bool Indexer::number() {
  if (token_ >= last_) return false;
  const std::uint32_t begin = position();
  const std::uint32_t end = scalarEnd();
  const char* at = text_ + begin;
  const char* const stop = text_ + end;
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
  Document::Entry& entry = entries_[used_++];
  entry = {begin, end, used_, 0, kind};
  return entry;
}

}  // namespace spindle::json
