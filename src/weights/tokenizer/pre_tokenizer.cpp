#include "weights/tokenizer/pre_tokenizer.h"

#include <algorithm>
#include <cstdint>

#include "weights/tokenizer/unicode_classes.h"

namespace spindle::weights {
namespace {

/// A character of a text: its byte offset, code point and class.
struct PlacedCharacter {
  std::size_t begin;
  char32_t code;
  CharacterClass what;
};

using PlacedCharacters = std::vector<PlacedCharacter>;

PlacedCharacters charactersOf(std::string_view text) {
  PlacedCharacters places;
  places.reserve(text.size() + 1);
  for (std::size_t at = 0; at < text.size();) {
    const Character character = firstCharacter(text.substr(at));
    places.push_back(
        {at, character.code, character.valid ? classOf(character.code) : CharacterClass::kOther});
    at += character.bytes;
  }
  return places;
}

/// Returns the length of an English contraction suffix at `at`: 's, 't, 'm, 'd, 're, 've, 'll; 0 if
/// there is none.
std::size_t contractionLength(const PlacedCharacters& places, std::size_t at, std::size_t end) {
  if (places[at].code != U'\'' || at + 1 >= end) return 0;
  const char32_t first = places[at + 1].code;
  if (first == U's' || first == U't' || first == U'm' || first == U'd') return 2;
  if (at + 2 >= end) return 0;
  const char32_t second = places[at + 2].code;
  const bool is_one = (first == U'r' && second == U'e') || (first == U'v' && second == U'e') ||
                      (first == U'l' && second == U'l');
  return is_one ? 3 : 0;
}

/// Returns the end of the piece that begins at `at`, in a range that ends at `end`.
std::size_t pieceEnd(const PlacedCharacters& places, std::size_t at, std::size_t end) {
  if (const std::size_t length = contractionLength(places, at, end); length > 0) return at + length;
  // One space belongs to the word or symbols after it.
  const bool led = places[at].code == U' ' && at + 1 < end;
  const std::size_t body = led ? at + 1 : at;
  const CharacterClass what = places[body].what;
  std::size_t stop = body;
  while (stop < end && places[stop].what == what) ++stop;
  if (what != CharacterClass::kSpace) return stop;
  stop = at;
  while (stop < end && places[stop].what == CharacterClass::kSpace) ++stop;
  // The last of several spaces belongs to the next piece.
  return stop < end && stop - at > 1 ? stop - 1 : stop;
}

bool isContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

}  // namespace

Character firstCharacter(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size ||
      !std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(size),
                   isContinuation))
    return {lead, 1, false};
  char32_t code = lead & (0x7FU >> size);
  for (const char byte : text.substr(1, size - 1))
    code = (code << 6) | (static_cast<unsigned char>(byte) & 0x3FU);
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  const bool is_overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  if (is_surrogate || is_overlong || code > 0x10FFFF) return {lead, 1, false};
  return {code, size, true};
}

std::vector<std::string_view> preTokenize(std::string_view text) {
  const PlacedCharacters places = charactersOf(text);
  std::vector<std::string_view> pieces;
  const auto add = [&](std::size_t from, std::size_t to) {
    const std::size_t begin = places[from].begin;
    const std::size_t end = to < places.size() ? places[to].begin : text.size();
    pieces.push_back(text.substr(begin, end - begin));
  };
  for (std::size_t at = 0; at < places.size();) {
    if (places[at].what == CharacterClass::kNumber) {
      add(at, at + 1);
      ++at;
      continue;
    }
    std::size_t stretch = at;
    while (stretch < places.size() && places[stretch].what != CharacterClass::kNumber) ++stretch;
    while (at < stretch) {
      const std::size_t end = pieceEnd(places, at, stretch);
      add(at, end);
      at = end;
    }
  }
  return pieces;
}

}  // namespace spindle::weights
