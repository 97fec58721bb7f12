#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/core/result.h"

namespace spindle::weights {

/// Maps bytes to the printable characters that byte-level BPE vocabularies use (`bytes_to_unicode`
/// of GPT-2).
std::string bytesToUnicode(std::string_view bytes);
/// Maps the characters back to bytes. @return kInvalidArgument if a character stands for no byte
Result<std::string> unicodeToBytes(std::string_view alias);

/// A byte-level BPE vocabulary. Ids: special tokens, then the 256 bytes, then the merged tokens in
/// order of their merges. Immutable, hence thread-safe.
class BytePairVocabulary {
 public:
  using Id = std::int32_t;
  using Merge = std::pair<std::string, std::string>;

  /// Creates a vocabulary from special tokens and merges.
  /// @return kInvalidArgument if a merge uses a token that does not exist yet
  static Result<BytePairVocabulary> of(std::vector<std::string> special, std::vector<Merge> merges);

  /// Trains a vocabulary on `text`: merges the most frequent pair until there are `size` tokens or
  /// no pair occurs twice. Ties go to the pair that comes first in byte order, so the same text
  /// always gives the same vocabulary.
  static BytePairVocabulary learn(std::vector<std::string> special,
                                  std::string_view text,
                                  std::size_t size);

  std::size_t size() const { return tokens_.size(); }
  std::size_t specials() const { return special_.size(); }
  /// Returns the bytes of a token; for a special token, its text.
  const std::string& token(Id id) const { return tokens_[static_cast<std::size_t>(id)]; }
  const std::vector<Merge>& merges() const { return merges_; }

  /// Returns the tokens of `text`. Special texts become special tokens. The time for one piece is
  /// quadratic in its length.
  std::vector<Id> encode(std::string_view text) const;
  std::string decode(const std::vector<Id>& ids) const;

  // The tokens and merges in the notation of GGUF and Hugging Face files.
  std::vector<std::string> tokenTexts() const;
  std::vector<std::string> mergeTexts() const;

  /// Returns the vocabulary as a text file: one line per special token, an empty line, one line per
  /// merge.
  std::string fileText() const;
  /// Reads the format of fileText(). @return kInvalidArgument for other text
  static Result<BytePairVocabulary> read(std::string_view file_text);

 private:
  BytePairVocabulary() = default;
  /// Splits a text; calls `plain` with each piece and `found` with each special token, in order.
  template <typename Plain, typename Found>
  void cut(std::string_view text, const Plain& plain, const Found& found) const;
  void encodePiece(std::string_view piece, std::vector<Id>& ids) const;
  /// Returns the position and id of the next special token; the longest if several start there. The
  /// position is the end of `text` if there is none.
  std::pair<std::size_t, Id> nextSpecial(std::string_view text) const;

  struct Merged {
    std::size_t rank;
    Id id;
  };

  std::vector<std::string> special_;
  std::vector<Merge> merges_;
  std::vector<std::string> tokens_;                  ///< by id
  std::unordered_map<std::uint64_t, Merged> ranks_;  ///< by pairKey() of the two ids
};

}  // namespace spindle::weights
