#include "base/core/sql_text.h"

#include <limits>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

namespace spindle {
namespace {

// Text that is not a literal of the program does not convert to SQL.
template <class Text>
constexpr bool kBecomesSql =
    std::is_constructible_v<SqlView, Text> || std::is_constructible_v<SqlText, Text> ||
    std::is_constructible_v<SqlName, Text> || std::is_convertible_v<Text, SqlView> ||
    std::is_convertible_v<Text, SqlText> || std::is_convertible_v<Text, SqlName> ||
    std::is_assignable_v<SqlView&, Text> || std::is_assignable_v<SqlText&, Text>;
static_assert(!kBecomesSql<std::string>);
static_assert(!kBecomesSql<const std::string&>);
static_assert(!kBecomesSql<std::string_view>);
static_assert(!kBecomesSql<const char*>);
static_assert(!kBecomesSql<char*>);
static_assert(!kBecomesSql<char>);
static_assert(!kBecomesSql<std::nullptr_t>);
static_assert(kBecomesSql<SqlView>);

template <class Left, class Right>
concept Concatenates = requires(Left left, Right right) {
  left + right;
};
static_assert(!Concatenates<SqlText, std::string>);
static_assert(!Concatenates<std::string, SqlText>);
static_assert(!Concatenates<SqlText, std::string_view>);
static_assert(!Concatenates<SqlText, const char*>);
static_assert(!Concatenates<const char*, SqlView>);
static_assert(Concatenates<SqlText, SqlView>);

TEST(SqlText, ComposesLiteralsNamesAndNumbers) {
  constexpr SqlName kColumn = "started_at";
  constexpr SqlView kTable = "calls";
  SqlText sql = "SELECT " + SqlText(kColumn) + " FROM " + kTable;
  sql += " LIMIT " + SqlText::number(-7);
  EXPECT_EQ(sql.text(), "SELECT started_at FROM calls LIMIT -7");
}

TEST(SqlText, WritesRealNumbers) {
  EXPECT_EQ(SqlText::real(0.99).text(), "0.99");
  EXPECT_EQ(SqlText::real(-1e300).text(), "-1e+300");
  EXPECT_EQ(SqlText::real(std::numeric_limits<double>::quiet_NaN()).text(), "NULL");
}

TEST(SqlText, QuotesAValidIdentifier) {
  EXPECT_EQ(SqlText::identifier("order")->text(), "\"order\"");
  EXPECT_EQ(SqlText::identifier("_a9")->text(), "\"_a9\"");
}

TEST(SqlText, RefusesAnInvalidIdentifier) {
  const std::string nul("a\0b", 3);
  for (const std::string& text :
       {std::string(), std::string("9a"), std::string("a b"), std::string("a\""), std::string("a'"),
        std::string("a;"), std::string("ä"), nul, std::string(64, 'a')}) {
    EXPECT_FALSE(SqlText::identifier(text)) << text;
  }
}

TEST(SqlText, WritesAPlainConstantUnchanged) {
  EXPECT_EQ(SqlText::constant("").text(), "''");
  EXPECT_EQ(SqlText::constant("/a/b~1c.d-0_$").text(), "'/a/b~1c.d-0_$'");
}

TEST(SqlText, WritesAConstantWithOtherCharactersInHexadecimal) {
  EXPECT_EQ(SqlText::constant("a'b").text(), "decode(unhex('612762'))");
  EXPECT_EQ(SqlText::constant(std::string("\0\xFF", 2)).text(), "decode(unhex('00FF'))");
  EXPECT_EQ(SqlText::constant(" ").text(), "decode(unhex('20'))");
}

TEST(SqlText, QuotesAFileName) {
  EXPECT_EQ(SqlText::fileName("/data/it's.db")->text(), "'/data/it''s.db'");
  EXPECT_FALSE(SqlText::fileName(std::string("a\0b", 3)));
}

}  // namespace
}  // namespace spindle
