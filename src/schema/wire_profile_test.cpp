#include <string>

#include <gtest/gtest.h>

#include "schema/parse.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::schema {
namespace {

struct Note {
  std::string ref;
  std::int64_t step = 0;
  json::Text payload;
};

struct Notes {
  std::optional<std::string> user_id;
  std::vector<Note> items;
};

Codec<Notes> notesCodec(Extra extra = Extra::kForbid) {
  const auto note = Record<Note>("Note", extra)
                        .required("svc_ref", &Note::ref, string())
                        .optional("svc_run_step", &Note::step, integer({.ge = 0}))
                        .optional("payload", &Note::payload, anyJson())
                        .codec();
  return Record<Notes>("Notes", extra)
      .optional("svc_user_id", &Notes::user_id, nullable(string()))
      .required("items", &Notes::items, list(note))
      .codec();
}

std::string vendor(std::string_view neutral) {
  return std::string(wire::memberFor(Spelling::kVendor, neutral));
}

/// The payload is user data: its member names are the same in both wire profiles.
std::string textIn(Spelling spelling) {
  const auto name = [spelling](std::string_view neutral) {
    return std::string(wire::memberFor(spelling, neutral));
  };
  return "{\"" + name("svc_user_id") + "\":\"u\",\"items\":[{\"" + name("svc_ref") + "\":\"r\",\"" +
         name("svc_run_step") + "\":7,\"payload\":{\"" + vendor("svc_ref") + "\":1}}]}";
}

TEST(SchemaWireProfile, StrictRecordsAcceptBothProfiles) {
  for (const Spelling spelling : {Spelling::kNeutral, Spelling::kVendor}) {
    const Result<Notes> notes = parse(notesCodec(), textIn(spelling));
    ASSERT_TRUE(notes) << textIn(spelling);
    EXPECT_EQ(notes->user_id, "u");
    EXPECT_EQ(notes->items.at(0).ref, "r");
    EXPECT_EQ(notes->items.at(0).step, 7);
  }
}

TEST(SchemaWireProfile, WritesSelectedProfileAndKeepsPayload) {
  const Result<Notes> notes = parse(notesCodec(), textIn(Spelling::kVendor));
  ASSERT_TRUE(notes);
  EXPECT_EQ(notesCodec().toJson(*notes), textIn(Spelling::kNeutral));
  EXPECT_EQ(notesCodec().toJson(*notes, Spelling::kVendor), textIn(Spelling::kVendor));
}

std::string locationsOf(const std::string& text, Spelling spelling) {
  Notes notes;
  const std::optional<Error> error = detail::parseInto(
      *notesCodec().type(), text, "body", json::Document::kDefaultDepth, &notes, spelling);
  if (!error) return "";
  std::string places;
  for (const Violation& violation : error->violations()) {
    for (const LocStep& step : violation.loc) {
      const auto* index = std::get_if<std::int64_t>(&step);
      places += "/" + (index != nullptr ? std::to_string(*index) : std::get<std::string>(step));
    }
    places += " " + violation.type + "\n";
  }
  return places;
}

TEST(SchemaWireProfile, InvalidMemberIsReportedByItsInputName) {
  EXPECT_EQ(locationsOf("{\"items\":[{\"" + vendor("svc_ref") + "\":1}]}", Spelling::kNeutral),
            "/body/items/0/" + vendor("svc_ref") + " string_type\n");
  EXPECT_EQ(locationsOf(R"({"items":[{"svc_ref":1}]})", Spelling::kVendor),
            "/body/items/0/svc_ref string_type\n");
}

TEST(SchemaWireProfile, MissingMemberIsReportedInTheProfile) {
  EXPECT_EQ(locationsOf(R"({"items":[{}]})", Spelling::kNeutral),
            "/body/items/0/svc_ref missing\n");
  EXPECT_EQ(locationsOf(R"({"items":[{}]})", Spelling::kVendor),
            "/body/items/0/" + vendor("svc_ref") + " missing\n");
}

TEST(SchemaWireProfile, UnknownMembersAreRejectedInBothProfiles) {
  EXPECT_EQ(locationsOf("{\"items\":[],\"" + vendor("svc_run_id") + "\":1}", Spelling::kVendor),
            "/body/" + vendor("svc_run_id") + " extra_forbidden\n");
}

TEST(SchemaWireProfile, LastOfBothNamesWins) {
  const Result<Notes> notes = parse(
      notesCodec(), R"({"items":[],"svc_user_id":"a",")" + vendor("svc_user_id") + R"(":"b"})");
  ASSERT_TRUE(notes);
  EXPECT_EQ(notes->user_id, "b");
}

}  // namespace
}  // namespace spindle::schema
