#include "pricing/price_query.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "query/codec.h"
#include "schema/parse.h"

namespace spindle::pricing {
namespace {

query::Query queryOf(const std::string& expression) {
  Result<query::Query> query =
      schema::parse(query::queryCodec(), R"({"$expr":)" + expression + "}");
  EXPECT_TRUE(query) << expression;
  return query ? *std::move(query) : query::Query();
}

std::vector<Price> samples() {
  const auto price_of = [](const std::string& id, const std::string& llm_id, TokenPrices tokens,
                           std::string_view date, const std::string& user) {
    Price price;
    price.id = id;
    price.llm_id = llm_id;
    price.tokens = tokens;
    price.effective_date = *parseTimestamp(date).value;
    price.created_by = user;
    return price;
  };
  std::vector<Price> prices = {
      price_of("1", "gpt-4o", {5e-6, 1.5e-5, 0, 0}, "2024-01-01", "usr_a"),
      price_of("2", "claude", {3e-6, 1.5e-5, 1, 0}, "2025-01-01", "usr_b"),
      price_of("3", "gpt-4o", {2.5e-6, 1e-5, 0, 0}, "2025-06-01", "usr_a")};
  prices[1].provider_id = "Anthropic";
  return prices;
}

std::string idsOf(const Result<std::vector<Price>>& prices) {
  if (!prices) return prices.error().message();
  std::string ids;
  for (const Price& price : *prices) ids += price.id;
  return ids;
}

std::string found(const std::string& expression) {
  PriceQuery request;
  request.query = queryOf(expression);
  return idsOf(queryPrices(samples(), request, "team/project"));
}

std::string field(const std::string& name) { return R"({"$getField":")" + name + "\"}"; }
std::string compared(const std::string& comparison,
                     const std::string& name,
                     const std::string& literal) {
  return R"({")" + comparison + R"(":[)" + field(name) + R"(,{"$literal":)" + literal + "}]}";
}
std::string eq(const std::string& name, const std::string& literal) {
  return compared("$eq", name, literal);
}
std::string gt(const std::string& name, const std::string& literal) {
  return compared("$gt", name, literal);
}

TEST(PriceQuery, ComparesTextsNumbersAndTimes) {
  const std::map<std::string, std::vector<std::string>> expressions_of_ids = {
      {"", {eq("llm_id", "\"GPT-4o\"")}},
      {"1",
       {eq("prompt_token_cost", "5e-6"), eq("prompt_token_cost", "\"5e-06\""),
        compared("$lt", "id", "\"2\"")}},
      {"12", {gt("prompt_token_cost", "2.9e-6"), compared("$lte", "id", "\"2\"")}},
      {"123",
       {eq("pricing_level", "\"project\""), eq("pricing_level_id", "\"team/project\""),
        eq("completion_token_cost_unit", "\"USD\"")}},
      {"13", {eq("llm_id", "\"gpt-4o\""), eq("created_by", "\"usr_a\"")}},
      {"2", {gt("cache_read_input_token_cost", "0")}},
      {"23", {gt("effective_date", "\"2024-06-01\"")}},
      {"3", {gt("effective_date", "1740000000")}}};
  for (const auto& [ids, expressions] : expressions_of_ids) {
    for (const std::string& expression : expressions)
      EXPECT_EQ(found(expression), ids) << expression;
  }
  EXPECT_EQ(found(R"({"$gte":[)" + field("created_at") + "," + field("effective_date") + "]}"), "");
}

TEST(PriceQuery, CombinesConditions) {
  const std::string gpt = eq("llm_id", "\"gpt-4o\"");
  const std::string late = gt("effective_date", "\"2024-06-01\"");
  EXPECT_EQ(found(R"({"$and":[)" + gpt + "," + late + "]}"), "3");
  EXPECT_EQ(found(R"({"$or":[)" + gpt + "," + late + "]}"), "123");
  EXPECT_EQ(found(R"({"$not":[)" + gpt + "]}"), "2");
  EXPECT_EQ(found(R"({"$in":[)" + field("id") + R"(,[{"$literal":"1"},{"$literal":"9"}]]})"), "1");
  EXPECT_EQ(found(R"({"$eq":[)" + gpt + R"(,{"$literal":false}]})"), "2");
}

TEST(PriceQuery, SearchesInTexts) {
  const auto contains = [](const std::string& part, bool fold) {
    return found(R"({"$contains":{"input":)" + field("provider_id") + R"(,"substr":{"$literal":")" +
                 part + R"("},"case_insensitive":)" + (fold ? "true" : "false") + "}}");
  };
  EXPECT_EQ(contains("thropic", false), "2");
  EXPECT_EQ(contains("THROPIC", false), "");
  EXPECT_EQ(contains("THROPIC", true), "2");
  EXPECT_EQ(contains("", false), "123");
  EXPECT_EQ(found(R"({"$eq":[{"$size":)" + field("llm_id") + R"(},{"$literal":6}]})"), "123");
}

TEST(PriceQuery, Converts) {
  const auto converted = [](const std::string& name, const std::string& to,
                            const std::string& literal) {
    return found(R"({"$eq":[{"$convert":{"input":)" + field(name) + R"(,"to":")" + to +
                 R"("}},{"$literal":)" + literal + "}]}");
  };
  EXPECT_EQ(converted("id", "int", "2"), "2");
  EXPECT_EQ(converted("prompt_token_cost", "int", "0"), "");
  EXPECT_EQ(converted("id", "double", "3"), "3");
  EXPECT_EQ(converted("cache_read_input_token_cost", "bool", "true"), "2");
  EXPECT_EQ(converted("cache_read_input_token_cost", "string", "\"1\""), "2");
  EXPECT_EQ(converted("effective_date", "string", "\"2024-01-01T00:00:00Z\""), "1");
  EXPECT_EQ(converted("llm_id", "exists", "true"), "123");
  EXPECT_EQ(converted("llm_id", "int", "1"), "");
}

TEST(PriceQuery, ComparesNullAsUnknown) {
  EXPECT_EQ(found(eq("llm_id", "null")), "");
  EXPECT_EQ(found(R"({"$not":[)" + eq("llm_id", "null") + "]}"), "123");
  EXPECT_EQ(found(R"({"$not":[)" + gt("llm_id", "null") + "]}"), "");
  EXPECT_EQ(found(R"({"$or":[)" + gt("llm_id", "null") + "," + eq("id", "\"1\"") + "]}"), "1");
  EXPECT_EQ(found(R"({"$and":[)" + gt("llm_id", "null") + "," + eq("id", "\"1\"") + "]}"), "");
}

TEST(PriceQuery, RejectsInvalidQueriesWithoutPrices) {
  const auto mistake = [](const std::string& expression) {
    PriceQuery request;
    request.query = queryOf(expression);
    return idsOf(queryPrices({}, request, "team/project"));
  };
  EXPECT_EQ(mistake(eq("colour", "1")), "Unknown field: colour");
  EXPECT_EQ(mistake(R"({"$or":[)" + eq("id", "\"1\"") + "," + eq("colour", "1") + "]}"),
            "Unknown field: colour");
  EXPECT_EQ(mistake(R"({"$and":[]})"), "Empty AND operation");
  EXPECT_EQ(mistake(R"({"$or":[]})"), "Empty OR operation");
  EXPECT_EQ(mistake(eq("effective_date", "\"soon\"")),
            "No common type for the two sides of a comparison");
  EXPECT_EQ(mistake(eq("prompt_token_cost", "\"much\"")),
            "No common type for the two sides of a comparison");
  EXPECT_EQ(mistake(eq("llm_id", "4")), "No common type for the two sides of a comparison");
  EXPECT_NE(
      mistake(R"({"$contains":{"input":)" + field("llm_id") + R"(,"substr":{"$literal":4}}})"), "");
  EXPECT_NE(mistake(R"({"$gt":[{"$size":)" + field("prompt_token_cost") + R"(},{"$literal":4}]})"),
            "");
  EXPECT_NE(mistake(R"({"$and":[)" + field("llm_id") + "]}"), "");
}

TEST(PriceQuery, SortsAndPages) {
  PriceQuery request;
  request.sort = {{"llm_id", false}, {"effective_date", true}};
  EXPECT_EQ(idsOf(queryPrices(samples(), request, "p")), "231");
  request.limit = 2;
  EXPECT_EQ(idsOf(queryPrices(samples(), request, "p")), "23");
  request.offset = 2;
  EXPECT_EQ(idsOf(queryPrices(samples(), request, "p")), "1");
  request.offset = 9;
  EXPECT_EQ(idsOf(queryPrices(samples(), request, "p")), "");
  request.limit = 0;
  EXPECT_EQ(idsOf(queryPrices(samples(), request, "p")), "");
  request.limit = -1;
  EXPECT_EQ(idsOf(queryPrices(samples(), request, "p")), "Limit must be a positive integer");
  request.limit = 1;
  request.offset = -1;
  EXPECT_EQ(idsOf(queryPrices(samples(), request, "p")), "Offset must be a positive integer");
  request.sort = {{"colour", false}};
  EXPECT_EQ(idsOf(queryPrices(samples(), request, "p")), "Unknown field: colour");
}

std::string purged(const std::string& expression) {
  const Result<std::vector<std::string>> ids = idsToPurge(queryOf(expression));
  if (!ids) return ids.error().message();
  std::string all;
  for (const std::string& id : *ids) all += id + " ";
  return all;
}

TEST(PricePurge, AcceptsOnlyIds) {
  EXPECT_EQ(purged(eq("id", "\"a\"")), "a ");
  EXPECT_EQ(purged(R"({"$in":[)" + field("id") + R"(,[{"$literal":"a"},{"$literal":"b"}]]})"),
            "a b ");
  EXPECT_EQ(purged(R"({"$or":[)" + eq("id", "\"a\"") + "," + eq("id", "\"b\"") + "]}"), "a b ");
}

TEST(PricePurge, RejectsEveryOtherQuery) {
  const std::string refusal = "Can only purge costs by specifying one or more cost ids";
  for (const std::string& expression :
       {eq("llm_id", "\"a\""), eq("id", "5"), gt("id", "\"a\""),
        R"({"$and":[)" + eq("id", "\"a\"") + "]}", R"({"$not":[)" + eq("id", "\"a\"") + "]}",
        R"({"$or":[)" + gt("id", "\"a\"") + "]}", std::string(R"({"$or":[]})"),
        R"({"$eq":[)" + field("id") + "," + field("llm_id") + "]}"}) {
    EXPECT_EQ(purged(expression), refusal) << expression;
  }
  EXPECT_EQ(purged(R"({"$eq":[{"$literal":"a"},)" + field("id") + "]}"),
            "Expected key get_field_, got literal_");
}

}  // namespace
}  // namespace spindle::pricing
