#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"

namespace spindle::weights {

/// A byte as the letter that vocabularies write for it, and back: every text of bytes is readable.
std::string aliasOf(std::string_view bytes);
/// @return kInvalidArgument for text that stands for no bytes
Result<std::string> bytesOfAlias(std::string_view alias);

/// A byte-level BPE vocabulary: special texts first, then the 256 bytes, then what pairs of tokens
/// merge to, in the order in which they do. Immutable.
class BytePairVocabulary {
 public:
  using Id = std::int32_t;
  using Merge = std::pair<std::string, std::string>;

  /// @return kInvalidArgument for a merge of something that is no token by then
  static Result<BytePairVocabulary> of(std::vector<std::string> special, std::vector<Merge> merges);

  /// The most frequent pairs in the text are merged, one after the other, until there are `size`
  /// tokens or no pair occurs twice. Of pairs that are equally frequent the one that is first in
  /// order of bytes: the same text gives the same vocabulary.
  static BytePairVocabulary learn(std::vector<std::string> special,
                                  std::string_view text,
                                  std::size_t size);

  std::size_t size() const { return tokens_.size(); }
  std::size_t specials() const { return special_.size(); }
  /// Bytes; of a special token its text.
  const std::string& token(Id id) const { return tokens_[static_cast<std::size_t>(id)]; }
  const std::vector<Merge>& merges() const { return merges_; }

  /// Special texts become their tokens. The time for one piece grows with the square of its length.
  std::vector<Id> encode(std::string_view text) const;
  std::string decode(const std::vector<Id>& ids) const;

  // As GGUF files and the files of training frameworks want it.
  std::vector<std::string> tokenTexts() const;
  std::vector<std::string> mergeTexts() const;

  /// A line for each special text, an empty one, a line for each merge.
  std::string fileText() const;
  /// @return kInvalidArgument for text that fileText() does not give
  static Result<BytePairVocabulary> read(std::string_view file_text);

 private:
  BytePairVocabulary() = default;
  /// Calls `plain` with each piece and `found` with each special token of a text, in order.
  template <typename Plain, typename Found>
  void cut(std::string_view text, const Plain& plain, const Found& found) const;
  void encodePiece(std::string_view piece, std::vector<Id>& ids) const;
  /// Where the next special text begins (the end of `text`: there is none), and which it is; the
  /// longest where several begin.
  std::pair<std::size_t, Id> nextSpecial(std::string_view text) const;

  struct Merged {
    std::size_t rank;
    Id id;
  };

  std::vector<std::string> special_;
  std::vector<Merge> merges_;
  std::vector<std::string> tokens_;                  ///< by id
  std::unordered_map<std::uint64_t, Merged> ranks_;  ///< by the two ids
};

}  // namespace spindle::weights
