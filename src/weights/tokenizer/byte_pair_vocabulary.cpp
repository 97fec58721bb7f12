#include "weights/tokenizer/byte_pair_vocabulary.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/core/check.h"
#include "weights/tokenizer/pre_tokenizer.h"

namespace spindle::weights {
namespace {

using Id = BytePairVocabulary::Id;

constexpr std::size_t kBytes = 256;

bool isPrintable(unsigned byte) {
  return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
}

/// Returns the character for each byte: the byte itself if it is printable, otherwise one from
/// U+0100 on.
std::array<char32_t, kBytes> makeAliases() {
  std::array<char32_t, kBytes> aliases{};
  char32_t next = kBytes;
  for (unsigned byte = 0; byte < kBytes; ++byte) aliases[byte] = isPrintable(byte) ? byte : next++;
  return aliases;
}

const std::array<char32_t, kBytes>& aliases() {
  static const std::array<char32_t, kBytes> table = makeAliases();
  return table;
}

std::uint64_t pairKey(Id left, Id right) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) |
         static_cast<std::uint32_t>(right);
}

std::vector<Id> bytesAsIds(std::string_view piece, std::size_t specials) {
  std::vector<Id> ids;
  ids.reserve(piece.size());
  for (const char byte : piece)
    ids.push_back(static_cast<Id>(specials + static_cast<unsigned char>(byte)));
  return ids;
}

void mergeIn(std::vector<Id>& ids, Id left, Id right, Id merged) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < ids.size(); ++kept) {
    if (i + 1 < ids.size() && ids[i] == left && ids[i + 1] == right) {
      ids[kept] = merged;
      i += 2;
    } else {
      ids[kept] = ids[i++];
    }
  }
  ids.resize(kept);
}

/// A distinct piece of the training text as token ids, and how often it occurs.
struct CountedPiece {
  std::vector<Id> ids;
  std::uint64_t count;
};

std::string_view nextLine(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

}  // namespace

std::string bytesToUnicode(std::string_view bytes) {
  std::string alias;
  for (const char c : bytes) {
    const char32_t code = aliases()[static_cast<unsigned char>(c)];
    if (code < 0x80) {
      alias += static_cast<char>(code);
    } else {
      alias += static_cast<char>(0xC0 | (code >> 6));
      alias += static_cast<char>(0x80 | (code & 0x3F));
    }
  }
  return alias;
}

Result<std::string> unicodeToBytes(std::string_view alias) {
  std::string bytes;
  while (!alias.empty()) {
    const Character character = firstCharacter(alias);
    const auto found = std::find(aliases().begin(), aliases().end(), character.code);
    if (!character.valid || found == aliases().end())
      return Error::invalidArgument("not the text of a token: " + std::string(alias));
    bytes += static_cast<char>(found - aliases().begin());
    alias.remove_prefix(character.bytes);
  }
  return bytes;
}

Result<BytePairVocabulary> BytePairVocabulary::of(std::vector<std::string> special,
                                                  std::vector<Merge> merges) {
  BytePairVocabulary vocabulary;
  vocabulary.special_ = std::move(special);
  vocabulary.merges_ = std::move(merges);
  vocabulary.tokens_ = vocabulary.special_;
  std::unordered_map<std::string, Id> ids;
  for (std::size_t byte = 0; byte < kBytes; ++byte) {
    ids[std::string(1, static_cast<char>(byte))] = static_cast<Id>(vocabulary.tokens_.size());
    vocabulary.tokens_.emplace_back(1, static_cast<char>(byte));
  }
  for (std::size_t rank = 0; rank < vocabulary.merges_.size(); ++rank) {
    const Merge& merge = vocabulary.merges_[rank];
    const auto left = ids.find(merge.first);
    const auto right = ids.find(merge.second);
    const auto merged = static_cast<Id>(vocabulary.tokens_.size());
    if (left == ids.end() || right == ids.end() ||
        !ids.emplace(merge.first + merge.second, merged).second) {
      return Error::invalidArgument("merge " + std::to_string(rank + 1) +
                                    " is not of two tokens into a new one");
    }
    vocabulary.ranks_[pairKey(left->second, right->second)] = {rank, merged};
    vocabulary.tokens_.push_back(merge.first + merge.second);
  }
  return vocabulary;
}

template <typename Plain, typename Found>
void BytePairVocabulary::cut(std::string_view text, const Plain& plain, const Found& found) const {
  while (!text.empty()) {
    const std::pair<std::size_t, Id> special = nextSpecial(text);
    for (const std::string_view piece : preTokenize(text.substr(0, special.first))) plain(piece);
    text.remove_prefix(special.first);
    if (text.empty()) return;
    found(special.second);
    text.remove_prefix(token(special.second).size());
  }
}

BytePairVocabulary BytePairVocabulary::learn(std::vector<std::string> special,
                                             std::string_view text,
                                             std::size_t size) {
  Result<BytePairVocabulary> bytes = of(special, {});
  SPINDLE_ASSERT(bytes, "bytes alone are a vocabulary");
  std::map<std::string_view, std::uint64_t> counted;
  bytes->cut(
      text, [&](std::string_view piece) { ++counted[piece]; }, [](Id) {});
  std::vector<CountedPiece> pieces;
  pieces.reserve(counted.size());
  for (const auto& piece : counted)
    pieces.push_back({bytesAsIds(piece.first, special.size()), piece.second});

  std::vector<std::string> tokens = bytes->tokens_;
  std::set<std::string> taken;
  std::vector<Merge> merges;
  while (tokens.size() < size) {
    std::unordered_map<std::uint64_t, std::uint64_t> pairs;
    for (const CountedPiece& piece : pieces)
      for (std::size_t i = 1; i < piece.ids.size(); ++i)
        pairs[pairKey(piece.ids[i - 1], piece.ids[i])] += piece.count;
    const auto parts = [&](std::uint64_t key) {
      return std::tie(tokens[key >> 32], tokens[key & 0xFFFFFFFF]);
    };
    std::optional<std::pair<std::uint64_t, std::uint64_t>> best;
    for (const auto& pair : pairs) {
      const auto texts = parts(pair.first);
      // A second merge to the same text would give one text two ids.
      if (pair.second < 2 || taken.count(std::get<0>(texts) + std::get<1>(texts)) != 0) continue;
      if (!best || pair.second > best->second ||
          (pair.second == best->second && texts < parts(best->first)))
        best = pair;
    }
    if (!best) break;
    const auto left = static_cast<Id>(best->first >> 32);
    const auto right = static_cast<Id>(best->first & 0xFFFFFFFF);
    const auto merged = static_cast<Id>(tokens.size());
    const auto texts = parts(best->first);
    merges.emplace_back(std::get<0>(texts), std::get<1>(texts));
    tokens.push_back(merges.back().first + merges.back().second);
    taken.insert(tokens.back());
    for (CountedPiece& piece : pieces) mergeIn(piece.ids, left, right, merged);
  }
  Result<BytePairVocabulary> vocabulary = of(std::move(special), std::move(merges));
  SPINDLE_ASSERT(vocabulary, "what was merged was a token by then");
  return *std::move(vocabulary);
}

void BytePairVocabulary::encodePiece(std::string_view piece, std::vector<Id>& ids) const {
  std::vector<Id> parts = bytesAsIds(piece, special_.size());
  while (parts.size() > 1) {
    std::size_t best_rank = std::numeric_limits<std::size_t>::max();
    std::size_t best_place = 0;
    Id merged = 0;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const auto found = ranks_.find(pairKey(parts[i - 1], parts[i]));
      if (found == ranks_.end() || found->second.rank >= best_rank) continue;
      best_rank = found->second.rank;
      best_place = i - 1;
      merged = found->second.id;
    }
    if (best_rank == std::numeric_limits<std::size_t>::max()) break;
    parts[best_place] = merged;
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(best_place) + 1);
  }
  ids.insert(ids.end(), parts.begin(), parts.end());
}

std::pair<std::size_t, Id> BytePairVocabulary::nextSpecial(std::string_view text) const {
  std::size_t first = text.size();
  Id found = 0;
  for (std::size_t i = 0; i < special_.size(); ++i) {
    const std::size_t place = text.find(special_[i]);
    if (place == std::string_view::npos || place > first) continue;
    if (place == first && token(found).size() >= special_[i].size()) continue;
    first = place;
    found = static_cast<Id>(i);
  }
  return {first, found};
}

std::vector<Id> BytePairVocabulary::encode(std::string_view text) const {
  std::vector<Id> ids;
  cut(
      text, [&](std::string_view piece) { encodePiece(piece, ids); },
      [&](Id special) { ids.push_back(special); });
  return ids;
}

std::string BytePairVocabulary::decode(const std::vector<Id>& ids) const {
  std::string text;
  for (const Id id : ids) text += token(id);
  return text;
}

std::vector<std::string> BytePairVocabulary::tokenTexts() const {
  std::vector<std::string> texts = special_;
  for (std::size_t id = special_.size(); id < tokens_.size(); ++id)
    texts.push_back(bytesToUnicode(tokens_[id]));
  return texts;
}

std::vector<std::string> BytePairVocabulary::mergeTexts() const {
  std::vector<std::string> texts;
  for (const Merge& merge : merges_)
    texts.push_back(bytesToUnicode(merge.first) + ' ' + bytesToUnicode(merge.second));
  return texts;
}

std::string BytePairVocabulary::fileText() const {
  std::string text;
  for (const std::string& special : special_) text += special + '\n';
  text += '\n';
  for (const std::string& merge : mergeTexts()) text += merge + '\n';
  return text;
}

Result<BytePairVocabulary> BytePairVocabulary::read(std::string_view file_text) {
  std::vector<std::string> special;
  for (std::string_view line = nextLine(file_text); !line.empty(); line = nextLine(file_text))
    special.emplace_back(line);
  std::vector<Merge> merges;
  while (!file_text.empty()) {
    const std::string_view line = nextLine(file_text);
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos)
      return Error::invalidArgument("not a merge of two tokens: " + std::string(line));
    const Result<std::string> left = unicodeToBytes(line.substr(0, space));
    const Result<std::string> right = unicodeToBytes(line.substr(space + 1));
    if (!left) return left.error();
    if (!right) return right.error();
    merges.emplace_back(*left, *right);
  }
  return of(std::move(special), std::move(merges));
}

}  // namespace spindle::weights
