#include "storage/database/columns.h"

#include <gtest/gtest.h>

#include "storage/database/database.h"
#include "storage/database/session.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::storage {
namespace {

enum class Colour { kRed, kBlue };

Colour colourOf(std::string_view text) { return text == "blue" ? Colour::kBlue : Colour::kRed; }
std::string_view textOf(Colour colour) { return colour == Colour::kBlue ? "blue" : "red"; }

struct Size {
  std::int64_t width = 0;
};
struct Thing {
  std::string id;
  Colour colour = Colour::kRed;
  Size size;
  bool heavy = false;
  double price = 0;
  Timestamp made_at;
  std::optional<std::string> note;
  std::optional<Timestamp> sold_at;
};

const Columns<Thing>& thingColumns() {
  static const Columns<Thing> columns{{"id", &Thing::id},
                                      {"colour", &Thing::colour, colourOf, textOf},
                                      {"width", &Thing::size, &Size::width},
                                      {"heavy", &Thing::heavy},
                                      {"price", &Thing::price},
                                      {"made_at", &Thing::made_at},
                                      {"note", &Thing::note},
                                      {"sold_at", &Thing::sold_at}};
  return columns;
}

TEST(Columns, NameTheirColumnsForEveryStatement) {
  EXPECT_EQ(SqlView(thingColumns().list()).text(),
            "id, colour, width, heavy, price, made_at, note, sold_at");
  const Columns<Size> width{{"width", &Size::width}};
  EXPECT_EQ(SqlView(width.list("s")).text(), "s.width");
  EXPECT_EQ(SqlView(width.insertInto("sizes")).text(), "INSERT INTO sizes (width) VALUES (?)");
  EXPECT_EQ(SqlView(width.insertInto("sizes", {"owner"})).text(),
            "INSERT INTO sizes (width, owner) VALUES (?, ?)");
  const Params values = width.valuesOf(Size{7}, {"me"});
  ASSERT_EQ(values.size(), 2U);
  ASSERT_NE(values[0].asInteger(), nullptr);
  EXPECT_EQ(*values[0].asInteger(), 7);
  ASSERT_NE(values[1].asText(), nullptr);
  EXPECT_EQ(*values[1].asText(), "me");
}

TEST(Columns, StoreAndReadRecords) {
  DatabaseForTest database(Engine::kSqlite);
  database->migrate({{"test",
                      {{1, "things",
                        "CREATE TABLE things (id TEXT PRIMARY KEY, colour TEXT, width BIGINT, "
                        "heavy BIGINT, price DOUBLE PRECISION, made_at BIGINT, note TEXT, "
                        "sold_at BIGINT);"}}}},
                    Timestamp{});
  Thing thing;
  thing.id = "thing_1";
  thing.colour = Colour::kBlue;
  thing.size.width = 7;
  thing.heavy = true;
  thing.price = 1.5;
  thing.made_at = timestampOfMicros(12);
  thing.sold_at = timestampOfMicros(34);
  const Result<std::int64_t> stored = database->write([&](Session& session) {
    return session.execute(thingColumns().insertInto("things"), thingColumns().valuesOf(thing));
  });
  ASSERT_TRUE(stored) << stored.error().message();
  const Result<Rows> rows = database->read([&](Session& session) {
    return session.query("SELECT " + thingColumns().list("t") + " FROM things t");
  });
  ASSERT_TRUE(rows) << rows.error().message();
  const std::vector<Thing> things = thingColumns().readAll(*rows);
  ASSERT_EQ(things.size(), 1U);
  EXPECT_EQ(things[0].id, "thing_1");
  EXPECT_EQ(things[0].colour, Colour::kBlue);
  EXPECT_EQ(things[0].size.width, 7);
  EXPECT_TRUE(things[0].heavy);
  EXPECT_EQ(things[0].price, 1.5);
  EXPECT_EQ(things[0].made_at, timestampOfMicros(12));
  EXPECT_EQ(things[0].note, std::nullopt);
  EXPECT_EQ(things[0].sold_at, timestampOfMicros(34));
}

}  // namespace
}  // namespace spindle::storage
