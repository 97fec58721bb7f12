#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace spindle::json {

/// Builds the index of a Document. simdjson's first stage validates UTF-8 and finds the start of
/// each token, at several bytes per cycle. The indexer then checks the grammar over these positions
/// only and records the end of each value.
class Indexer {
 public:
  Indexer(Document& document, std::size_t max_depth) : document_(document), max_depth_(max_depth) {}
  /// Returns false if the text is not JSON; explainSyntaxError() then returns the reason.
  bool run();

 private:
  struct Open {
    std::uint32_t entry;
    bool object;
  };

  bool findTokens();
  bool walk();
  /// Validates and indexes the value that starts at the current token; opens an array or object.
  bool value();
  bool openContainer(bool object);
  /// Closes the innermost array or object at the current token.
  void close();
  bool memberName();
  bool string();
  bool number();
  bool word(std::string_view expected, Kind kind);

  std::uint32_t position() const { return *token_; }
  /// Returns the first byte of the current token; NUL after the last token.
  char current() const { return token_ < last_ ? text_[*token_] : '\0'; }
  /// Returns the end of the current scalar: the next token without the white space before it.
  std::uint32_t scalarEnd() const;
  std::uint32_t escapeFrom(std::uint32_t begin) const;
  /// Returns true if a backslash occurs between `begin` and `end`. Positions must increase from
  /// call to call.
  bool escapedBefore(std::uint32_t begin, std::uint32_t end);
  Document::Entry& add(Kind kind, std::uint32_t begin, std::uint32_t end);

  Document& document_;
  std::size_t max_depth_;
  char* text_ = nullptr;
  std::uint32_t size_ = 0;
  const std::uint32_t* token_ = nullptr;  ///< simdjson ends the list with the size of the text
  const std::uint32_t* last_ = nullptr;
  Document::Entry* entries_ = nullptr;
  std::uint32_t used_ = 0;
  std::uint32_t next_escape_ = 0;  ///< the next backslash; the size of the text if there is none
  std::vector<Open> open_;
};

}  // namespace spindle::json
