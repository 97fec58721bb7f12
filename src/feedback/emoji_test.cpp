#include "feedback/emoji.h"

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace spindle::feedback {
namespace {

std::string tableText() {
  const std::ifstream file(SPINDLE_SOURCE_DIR "/data/emoji/names.txt");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

const EmojiNames& names() {
  static const EmojiNames names(tableText());
  return names;
}

TEST(Emoji, AcceptsEverySequenceForm) {
  for (const char* emoji : {"👍",
                            "❤",
                            "❤️",
                            "☺️",
                            "👍🏽",
                            "👩🏽‍💻",
                            "👨‍👩‍👧‍👦",
                            "🏳️‍🌈",
                            "🏴‍☠️",
                            "🇩🇪",
                            "1️⃣",
                            "#⃣",
                            "*️⃣",
                            "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
                            "🧑🏻‍🤝‍🧑🏿",
                            "©",
                            "🏽",
                            "🫨",
                            "⛹🏿‍♀️",
                            "😶‍🌫️"}) {
    EXPECT_TRUE(isOneEmoji(emoji)) << emoji;
  }
}

TEST(Emoji, RejectsSeveralEmojiAndLetters) {
  for (const char* text : {"",         "a",
                           "1",        "#",
                           "👍👍",       "👍 ",
                           " 👍",       "👍a",
                           "🇩",        "🇩🇪🇫🇷",
                           "🇩a",       "👍‍",
                           "‍👍",  "️",
                           "👩‍a", "1⃣2⃣",
                           "1️",     "🏴󠁧󠁢",
                           "é",        "👍🏽🏽",
                           "thumbs up"}) {
    EXPECT_FALSE(isOneEmoji(text)) << text;
  }
}

TEST(Emoji, AcceptsEveryNamedEmoji) {
  std::istringstream lines(tableText());
  std::string line;
  int count = 0;
  while (std::getline(lines, line)) {
    if (line.starts_with("# ")) continue;
    const std::string emoji = line.substr(0, line.find(' '));
    EXPECT_TRUE(isOneEmoji(emoji)) << line;
    EXPECT_EQ(names().aliasOf(emoji), ":" + line.substr(line.find(' ') + 1) + ":");
    ++count;
  }
  EXPECT_GT(count, 1800);
}

/// Emoji with the expected result for each.
using EmojiCases = std::vector<std::pair<std::string, std::string>>;

TEST(Emoji, RemovesTheSkinTone) {
  const EmojiCases cases = {{"👍🏽", "👍"},
                            {"👩🏽‍💻", "👩‍💻"},
                            {"🧑🏻‍🤝‍🧑🏿", "🧑‍🤝‍🧑"},
                            {"❤️", "❤️"},
                            {"🏽", "🏽"}};
  for (const auto& [emoji, plain] : cases) EXPECT_EQ(withoutSkinTone(emoji), plain);
}

TEST(Emoji, HasAnAlias) {
  const EmojiCases cases = {{"👍", ":thumbs_up:"},
                            {"👍🏽", ":thumbs_up_medium_skin_tone:"},
                            {"❤️", ":red_heart:"},
                            {"❤", ":red_heart:"},
                            {"🇺🇸", ":United_States:"},
                            {"1️⃣", ":keycap_1:"},
                            {"👩🏿‍💻", ":woman_technologist_dark_skin_tone:"}};
  for (const auto& [emoji, alias] : cases) EXPECT_EQ(names().aliasOf(emoji), alias);
}

TEST(Emoji, UsesCodePointsWithoutAName) {
  EXPECT_EQ(EmojiNames().aliasOf("👍"), ":u1f44d:");
  EXPECT_EQ(EmojiNames().aliasOf("❤️"), ":u2764_ufe0f:");
}

}  // namespace
}  // namespace spindle::feedback
