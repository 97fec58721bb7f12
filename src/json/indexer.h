#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace spindle::json {

/// Builds the index of a Document. simdjson's first stage checks UTF-8 and finds where tokens
/// start, at several bytes per cycle; what is left here is to check the grammar over those few
/// positions and to note where each value ends.
class Indexer {
 public:
  Indexer(Document& document, std::size_t max_depth) : document_(document), max_depth_(max_depth) {}
  /// False when the text is not JSON; explainSyntaxError() then says why.
  bool run();

 private:
  struct Open {
    std::uint32_t entry;
    bool object;
  };

  bool findTokens();
  bool walk();
  /// Checks and indexes the value that starts at the current token, opening arrays and objects.
  bool value();
  bool openContainer(bool object);
  /// Closes the innermost array or object at the current token.
  void close();
  bool memberName();
  bool string();
  bool number();
  bool word(std::string_view expected, Kind kind);

  std::uint32_t position() const { return *token_; }
  /// The byte that starts the current token; NUL behind the last.
  char current() const { return token_ < last_ ? text_[*token_] : '\0'; }
  /// Where the current scalar ends: the next token, less the white space before it.
  std::uint32_t scalarEnd() const;
  std::uint32_t escapeFrom(std::uint32_t begin) const;
  /// Whether a backslash stands from `begin` to `end`. Asked with growing positions.
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
  std::uint32_t next_escape_ = 0;  ///< the first backslash not yet passed
  std::vector<Open> open_;
};

}  // namespace spindle::json
