#include "feedback/emoji.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/core/utf8.h"

namespace spindle::feedback {
namespace {

using CodePoints = std::vector<char32_t>;

constexpr char32_t kJoiner = 0x200D;
constexpr char32_t kEmojiStyle = 0xFE0F;
constexpr char32_t kKeycap = 0x20E3;
constexpr char32_t kBlackFlag = 0x1F3F4;
constexpr char32_t kTagEnd = 0xE007F;
constexpr char32_t kInvalid = 0xFFFFFFFF;

struct Range {
  char32_t first;
  char32_t last;
};

/// Code points that can render as emoji (Extended_Pictographic). Includes the blocks above 1F300
/// completely, because their unassigned code points are reserved for emoji.
constexpr auto kPictographs = std::to_array<Range>({
    {0xA9, 0xA9},       {0xAE, 0xAE},       {0x203C, 0x203C},   {0x2049, 0x2049},
    {0x2122, 0x2122},   {0x2139, 0x2139},   {0x2194, 0x2199},   {0x21A9, 0x21AA},
    {0x231A, 0x231B},   {0x2328, 0x2328},   {0x23CF, 0x23CF},   {0x23E9, 0x23F3},
    {0x23F8, 0x23FA},   {0x24C2, 0x24C2},   {0x25AA, 0x25AB},   {0x25B6, 0x25B6},
    {0x25C0, 0x25C0},   {0x25FB, 0x25FE},   {0x2600, 0x2604},   {0x260E, 0x260E},
    {0x2611, 0x2611},   {0x2614, 0x2615},   {0x2618, 0x2618},   {0x261D, 0x261D},
    {0x2620, 0x2620},   {0x2622, 0x2623},   {0x2626, 0x2626},   {0x262A, 0x262A},
    {0x262E, 0x262F},   {0x2638, 0x263A},   {0x2640, 0x2640},   {0x2642, 0x2642},
    {0x2648, 0x2653},   {0x265F, 0x2660},   {0x2663, 0x2663},   {0x2665, 0x2666},
    {0x2668, 0x2668},   {0x267B, 0x267B},   {0x267E, 0x267F},   {0x2692, 0x2697},
    {0x2699, 0x2699},   {0x269B, 0x269C},   {0x26A0, 0x26A1},   {0x26A7, 0x26A7},
    {0x26AA, 0x26AB},   {0x26B0, 0x26B1},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},
    {0x26C8, 0x26C8},   {0x26CE, 0x26CF},   {0x26D1, 0x26D1},   {0x26D3, 0x26D4},
    {0x26E9, 0x26EA},   {0x26F0, 0x26F5},   {0x26F7, 0x26FA},   {0x26FD, 0x26FD},
    {0x2702, 0x2702},   {0x2705, 0x2705},   {0x2708, 0x270D},   {0x270F, 0x270F},
    {0x2712, 0x2712},   {0x2714, 0x2714},   {0x2716, 0x2716},   {0x271D, 0x271D},
    {0x2721, 0x2721},   {0x2728, 0x2728},   {0x2733, 0x2734},   {0x2744, 0x2744},
    {0x2747, 0x2747},   {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2763, 0x2764},   {0x2795, 0x2797},   {0x27A1, 0x27A1},
    {0x27B0, 0x27B0},   {0x27BF, 0x27BF},   {0x2934, 0x2935},   {0x2B05, 0x2B07},
    {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x3030, 0x3030},
    {0x303D, 0x303D},   {0x3297, 0x3297},   {0x3299, 0x3299},   {0x1F004, 0x1F004},
    {0x1F0CF, 0x1F0CF}, {0x1F170, 0x1F171}, {0x1F17E, 0x1F17F}, {0x1F18E, 0x1F18E},
    {0x1F191, 0x1F19A}, {0x1F201, 0x1F202}, {0x1F21A, 0x1F21A}, {0x1F22F, 0x1F22F},
    {0x1F232, 0x1F23A}, {0x1F250, 0x1F251}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
    {0x1F7E0, 0x1F7F0}, {0x1F90C, 0x1F9FF}, {0x1FA70, 0x1FAFF},
});

bool isPictograph(char32_t c) {
  return std::any_of(kPictographs.begin(), kPictographs.end(),
                     [c](const Range& range) { return c >= range.first && c <= range.last; });
}

bool isSkinTone(char32_t c) { return c >= 0x1F3FB && c <= 0x1F3FF; }
bool isRegional(char32_t c) { return c >= 0x1F1E6 && c <= 0x1F1FF; }
bool isTag(char32_t c) { return c >= 0xE0020 && c <= 0xE007E; }
bool isKeycapBase(char32_t c) { return (c >= '0' && c <= '9') || c == '#' || c == '*'; }

/// Returns the code points of valid UTF-8; a broken byte becomes kInvalid.
CodePoints codePointsOf(std::string_view text) {
  CodePoints points;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (at + length > text.size()) return {kInvalid};
    char32_t point = length == 1 ? lead : lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
      point = (point << 6) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
    }
    points.push_back(point);
    at += length;
  }
  return points;
}

bool isKeycap(const CodePoints& points) {
  if (points.size() < 2 || !isKeycapBase(points[0]) || points.back() != kKeycap) return false;
  return points.size() == 2 || (points.size() == 3 && points[1] == kEmojiStyle);
}

/// Flags of England, Scotland and Wales.
bool isTaggedFlag(const CodePoints& points) {
  return points.size() > 2 && points[0] == kBlackFlag && points.back() == kTagEnd &&
         std::all_of(points.begin() + 1, points.end() - 1, isTag);
}

/// Pictographs separated by joiners, each with an optional skin tone and selector.
bool isJoined(const CodePoints& points) {
  std::size_t at = 0;
  while (true) {
    if (at >= points.size() || !isPictograph(points[at])) return false;
    ++at;
    if (at < points.size() && isSkinTone(points[at])) ++at;
    if (at < points.size() && points[at] == kEmojiStyle) ++at;
    if (at == points.size()) return true;
    if (points[at++] != kJoiner) return false;
  }
}

std::string_view toneName(char32_t tone) {
  constexpr std::array<std::string_view, 5> kNames = {"light", "medium-light", "medium",
                                                      "medium-dark", "dark"};
  return kNames[tone - 0x1F3FB];
}

/// Removes selectors and skin tones, which are not part of the table's keys.
std::string bare(const CodePoints& points) {
  std::string text;
  for (const char32_t c : points) {
    if (c != kEmojiStyle && !(isSkinTone(c) && points.size() > 1)) appendUtf8(text, c);
  }
  return text;
}

std::string hex(char32_t c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (; c != 0; c >>= 4) text.insert(text.begin(), kDigits[c & 0xF]);
  return text;
}

}  // namespace

bool isOneEmoji(std::string_view text) {
  const CodePoints points = codePointsOf(text);
  if (points.empty()) return false;
  if (points.size() == 2 && isRegional(points[0])) return isRegional(points[1]);
  return isKeycap(points) || isTaggedFlag(points) || isJoined(points);
}

std::string withoutSkinTone(std::string_view text) {
  const CodePoints points = codePointsOf(text);
  std::string plain;
  for (const char32_t c : points) {
    if (!isSkinTone(c) || points.size() == 1) appendUtf8(plain, c);
  }
  return plain;
}

EmojiNames::EmojiNames(std::string_view table) {
  while (!table.empty()) {
    const std::size_t end = std::min(table.find('\n'), table.size());
    const std::string_view line = table.substr(0, end);
    const std::size_t space = line.find(' ');
    if (space != std::string_view::npos && !line.starts_with("# ")) {
      names_.emplace(line.substr(0, space), line.substr(space + 1));
    }
    table.remove_prefix(std::min(end + 1, table.size()));
  }
}

std::string EmojiNames::aliasOf(std::string_view emoji) const {
  const CodePoints points = codePointsOf(emoji);
  std::string alias = ":";
  const auto found = names_.find(bare(points));
  if (found == names_.end()) {
    for (const char32_t c : points) alias += (alias.size() > 1 ? "_u" : "u") + hex(c);
    return alias + ":";
  }
  alias += found->second;
  for (const char32_t c : points) {
    if (isSkinTone(c) && points.size() > 1)
      alias.append("_").append(toneName(c)).append("_skin_tone");
  }
  return alias + ":";
}

}  // namespace spindle::feedback
