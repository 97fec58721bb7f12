#include "weights/tokenizer/byte_pair_vocabulary.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weights/tokenizer/pre_tokenizer.h"
#include "weights/tokenizer/unicode_classes.h"

namespace spindle::weights {
namespace {

using Texts = std::vector<std::string>;

Texts pieces(std::string_view text) {
  Texts found;
  for (const std::string_view piece : preTokenize(text)) found.emplace_back(piece);
  return found;
}

const Texts special_texts = {"<|end|>", "<a>", "<a>b"};

constexpr std::string_view kText =
    "the cat and the hat and the bat<|end|>the cat sat on the mat<|end|>that is that, and this is "
    "this: 12 + 34 = 46<|end|>";

BytePairVocabulary learned() { return BytePairVocabulary::learn(special_texts, kText, 270); }

Texts tokensOf(const BytePairVocabulary& vocabulary, std::string_view text) {
  Texts tokens;
  for (const BytePairVocabulary::Id id : vocabulary.encode(text))
    tokens.push_back(vocabulary.token(id));
  return tokens;
}

TEST(PreTokenizer, SplitsLikeSmollm) {
  const struct {
    std::string text;
    Texts pieces;
  } rows[] = {
      {"", {}},
      {"Hello world", {"Hello", " world"}},
      {"12 34", {"1", "2", " ", "3", "4"}},
      {"a1b", {"a", "1", "b"}},
      {"it's we're I've I'll I'm he'd don't",
       {"it", "'s", " we", "'re", " I", "'ve", " I", "'ll", " I", "'m", " he", "'d", " don", "'t"}},
      {"rock 'n", {"rock", " '", "n"}},
      {"'S 'x", {"'", "S", " '", "x"}},
      {"{\"a\": 1}", {"{\"", "a", "\":", " ", "1", "}"}},
      {"a  b", {"a", " ", " b"}},
      {"a \n b", {"a", " \n", " b"}},
      {"a\nb", {"a", "\n", "b"}},
      {"a\n\nb", {"a", "\n", "\n", "b"}},
      {"a\n\n1", {"a", "\n\n", "1"}},
      {"end  ", {"end", "  "}},
      {"\tx", {"\t", "x"}},
      {"gr\u00fc\u00dfe \u4f60\u597d!", {"gr\u00fc\u00dfe", " \u4f60\u597d", "!"}},
      {"\u0663\u00bd", {"\u0663", "\u00bd"}},
      {"a\u00a0b", {"a", "\u00a0", "b"}},
      {"a\u3000 b", {"a", "\u3000", " b"}},
      {"\U0001f600\U0001f600 ok", {"\U0001f600\U0001f600", " ok"}},
      {"a\xff\xfe z", {"a", "\xff\xfe", " z"}},
      {"\xe4\xbd", {"\xe4\xbd"}},
  };
  for (const auto& row : rows) EXPECT_EQ(pieces(row.text), row.pieces) << row.text;
}

TEST(PreTokenizer, PiecesConcatenateToTheText) {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (std::size_t i = random() % 40; i > 0; --i) text += static_cast<char>(random());
    std::string whole;
    for (const std::string_view piece : preTokenize(text)) {
      EXPECT_FALSE(piece.empty());
      whole += piece;
    }
    EXPECT_EQ(whole, text);
  }
}

TEST(UnicodeClasses, KnowLettersNumbersAndSpaces) {
  const std::vector<std::pair<CharacterClass, std::vector<char32_t>>> classes = {
      {CharacterClass::kLetter, {U'a', U'\u00aa', U'\u3042', U'\U0001D400'}},
      {CharacterClass::kNumber, {U'7', U'\u2163'}},
      {CharacterClass::kSpace, {U'\n', U'\u0085'}},
      {CharacterClass::kOther, {U'\u200b', U'_', U'\0', U'\U0010FFFF'}},
  };
  for (const auto& [expected, characters] : classes) {
    for (const char32_t character : characters) {
      EXPECT_EQ(classOf(character), expected) << static_cast<std::uint32_t>(character);
    }
  }
}

TEST(ByteAliases, AreReadableAndReversible) {
  EXPECT_EQ(bytesToUnicode("a b\n"), "a\u0120b\u010a");
  EXPECT_EQ(bytesToUnicode("\xc3\xa9"), "\u00c3\u00a9");
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const Result<std::string> back = unicodeToBytes(bytesToUnicode(all));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, all);
  for (const std::string_view wrong : {"a b", "\u4f60", "\xff"})
    EXPECT_FALSE(unicodeToBytes(wrong));
}

TEST(BytePairs, MergesTheMostFrequentFirst) {
  const BytePairVocabulary vocabulary = BytePairVocabulary::learn({}, "cat cat cat at", 258);
  EXPECT_EQ(vocabulary.merges(), (std::vector<BytePairVocabulary::Merge>{{"a", "t"}, {"c", "at"}}));
  EXPECT_EQ(tokensOf(vocabulary, " catat"), (Texts{" ", "cat", "at"}));
}

TEST(BytePairs, TiesGoToTheFirstPairInByteOrder) {
  const BytePairVocabulary vocabulary = BytePairVocabulary::learn({}, "zy,ab,zy,ab", 257);
  EXPECT_EQ(vocabulary.merges(), (std::vector<BytePairVocabulary::Merge>{{"a", "b"}}));
}

TEST(BytePairs, StopsWhenNoPairOccursTwice) {
  const BytePairVocabulary vocabulary = BytePairVocabulary::learn({}, "abc abc xyz", 1000);
  EXPECT_EQ(vocabulary.size(), 258U);
  EXPECT_EQ(tokensOf(vocabulary, "abcxyz abc"), (Texts{"abc", "x", "y", "z", " ", "abc"}));
}

TEST(BytePairs, TheSameTextGivesTheSameVocabulary) {
  EXPECT_EQ(learned().fileText(), learned().fileText());
}

TEST(BytePairs, DecodeInvertsEncode) {
  const BytePairVocabulary vocabulary = learned();
  std::mt19937 random(3);
  const Texts parts = {"the",          " ",    "\n", "12",        "<a>", "<|end|>",
                       "\u4f60\u597d", "\xff", "'s", "\U0001f600"};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (std::size_t i = random() % 30; i > 0; --i) {
      if (random() % 2 == 0) {
        text += static_cast<char>(random());
      } else {
        text += parts[random() % parts.size()];
      }
    }
    EXPECT_EQ(vocabulary.decode(vocabulary.encode(text)), text);
  }
}

TEST(BytePairs, SpecialTextsAreOneTokenAndTheLongestWins) {
  const BytePairVocabulary vocabulary = learned();
  EXPECT_EQ(vocabulary.encode("<|end|>"), (std::vector<BytePairVocabulary::Id>{0}));
  EXPECT_EQ(tokensOf(vocabulary, "x<a>b<a>c"), (Texts{"x", "<a>b", "<a>", "c"}));
  EXPECT_EQ(vocabulary.specials(), 3U);
}

TEST(BytePairs, NothingIsMergedAcrossPieces) {
  const BytePairVocabulary vocabulary = BytePairVocabulary::learn({}, "11 11 11 11 a,a, a,a,", 300);
  EXPECT_EQ(tokensOf(vocabulary, "11"), (Texts{"1", "1"}));
}

TEST(BytePairs, AFileGivesTheSameVocabulary) {
  const BytePairVocabulary vocabulary = learned();
  const Result<BytePairVocabulary> read = BytePairVocabulary::read(vocabulary.fileText());
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->fileText(), vocabulary.fileText());
  EXPECT_EQ(read->encode(kText), vocabulary.encode(kText));
  EXPECT_EQ(read->tokenTexts(), vocabulary.tokenTexts());
  ASSERT_EQ(read->tokenTexts().size(), 270U);
  EXPECT_EQ(read->tokenTexts()[0], "<|end|>");
  EXPECT_EQ(read->mergeTexts()[0], bytesToUnicode(vocabulary.merges()[0].first) + " " +
                                       bytesToUnicode(vocabulary.merges()[0].second));
}

TEST(BytePairs, ReportsInvalidFiles) {
  EXPECT_FALSE(BytePairVocabulary::read("<a>\n\nab\n"));
  EXPECT_FALSE(BytePairVocabulary::read("\nab c\n"));
  EXPECT_FALSE(BytePairVocabulary::read("\na b\na b\n"));
  EXPECT_FALSE(BytePairVocabulary::read("\na \u4f60\n"));
  const Result<BytePairVocabulary> late = BytePairVocabulary::read("\na b\nabc d\n");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().message(), "merge 2 is not of two tokens into a new one");
}

}  // namespace
}  // namespace spindle::weights
