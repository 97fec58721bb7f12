#include "objects/values/ref_conversion.h"

#include <map>

#include <gtest/gtest.h>

#include "json/document.h"
#include "json/escape.h"

namespace spindle::objects {
namespace {

using wire::RefScheme, wire::schemeText, wire::Spelling;

/// Knows `team/a` as prj_a and `team/b c` as prj_b, and counts the lookups.
class KnownProjects final : public RefProjects {
 public:
  Result<std::optional<std::string>> internalOf(std::string_view external) override {
    ++questions;
    if (external == "team/down") return Error::unavailable("down");
    for (const auto& [id, name] : names_) {
      if (name == external) return std::optional(id);
    }
    return std::optional<std::string>();
  }
  Result<std::optional<std::string>> externalOf(std::string_view internal) override {
    ++questions;
    if (internal == "prj_down") return Error::unavailable("down");
    const auto found = names_.find(std::string(internal));
    return found == names_.end() ? std::nullopt : std::optional(found->second);
  }

  int questions = 0;

 private:
  std::map<std::string, std::string> names_ = {{"prj_a", "team/a"}, {"prj_b", "team/b c"}};
};

class RefConversion : public ::testing::Test {
 protected:
  std::string inward(std::string json, std::vector<std::string>* refs = nullptr) {
    const Result<void> done = internalizeRefs(json, projects_, refs);
    EXPECT_TRUE(done) << json;
    return json;
  }
  std::string outward(std::string json, Spelling spelling = Spelling::kNeutral) {
    const Result<void> done = externalizeRefs(json, projects_, spelling);
    EXPECT_TRUE(done) << json;
    return json;
  }
  static std::string vendor(RefScheme scheme, const std::string& rest) {
    return std::string(schemeText(scheme, Spelling::kVendor)) + rest;
  }

  KnownProjects projects_;
};

TEST_F(RefConversion, ReplacesOnlyStringsThatAreRefs) {
  EXPECT_EQ(
      inward(R"({"a": "svc:///team/a/object/x:y", "b":[1, "svc:///team/a/call/1" ],)"
             R"("c":"see svc:///team/a/object/x:y"})"),
      R"({"a": "svc-trace-internal:///prj_a/object/x:y", )"
      R"("b":[1, "svc-trace-internal:///prj_a/call/1" ],"c":"see svc:///team/a/object/x:y"})");
  EXPECT_EQ(inward(R"("svc:///team/a/op/f:d/attr/x")"),
            R"("svc-trace-internal:///prj_a/op/f:d/attr/x")");
}

TEST_F(RefConversion, KeepsMemberNames) {
  const std::string json = R"({"svc:///team/a/object/x:y" : 1, "k":"v:///"})";
  EXPECT_EQ(inward(json), json);
  EXPECT_EQ(projects_.questions, 0);
}

TEST_F(RefConversion, KeepsTheSpellingForDigests) {
  const std::string sent = "\"" + vendor(RefScheme::kExternal, "team/a/object/x:y") + "\"";
  const std::string stored = "\"" + vendor(RefScheme::kInternal, "prj_a/object/x:y") + "\"";
  EXPECT_EQ(inward(sent), stored);
  EXPECT_EQ(outward(stored), R"("svc:///team/a/object/x:y")");
  EXPECT_EQ(outward(stored, Spelling::kVendor), sent);
}

TEST_F(RefConversion, UsesTheReadersSpelling) {
  const std::string stored = R"(["svc-trace-internal:///prj_a/object/x:y"])";
  EXPECT_EQ(outward(stored), R"(["svc:///team/a/object/x:y"])");
  EXPECT_EQ(outward(stored, Spelling::kVendor),
            "[\"" + vendor(RefScheme::kExternal, "team/a/object/x:y") + "\"]");
}

TEST_F(RefConversion, ShowsRefsIntoUnreadableProjectsAsPrivate) {
  EXPECT_EQ(outward(R"("svc-trace-internal:///prj_secret/object/x:y/key/z")"),
            R"("svc-private://///object/x:y/key/z")");
  EXPECT_EQ(outward("\"" + vendor(RefScheme::kPrivate, "object/x:y") + "\""),
            R"("svc-private://///object/x:y")");
}

TEST_F(RefConversion, LeavesExternalRefsIntoUnreadableProjects) {
  const std::string json = R"({"a":"svc:///other/secret/object/x:y"})";
  EXPECT_EQ(inward(json), json);
  EXPECT_EQ(outward(json), json);
}

TEST_F(RefConversion, AcceptsInternalRefsOnlyIntoReadableProjects) {
  const std::string known = R"({"a":"svc-trace-internal:///prj_a/object/x:y"})";
  EXPECT_EQ(inward(known), known);
  for (std::string json :
       {R"({"a":"svc-trace-internal:///prj_secret/object/x:y"})",
        R"({"a":"\u0073vc-trace-internal:///prj_secret/object/x:y"})",
        R"({"x":"\\u00\u0001\u0001","a":"svc-trace-internal:\u002f//prj_secret/object/x:y"})",
        R"({"a":"svc-trace-internal:\/\/\/prj_secret\/object\/x:y"})",
        R"(["[\"svc-trace-internal:\\u002f//prj_secret/object/x:y\"]"])"}) {
    const Result<void> done = internalizeRefs(json, projects_);
    ASSERT_FALSE(done) << json;
    EXPECT_EQ(done.error().code(), ErrorCode::kInvalidArgument);
  }
}

TEST_F(RefConversion, RefusesMalformedExternalRefs) {
  for (std::string json : {R"(["svc:///"])", R"(["svc:///team"])", R"(["svc:///team/a"])",
                           R"(["svc:////a/object/x:y"])"}) {
    const Result<void> done = internalizeRefs(json, projects_);
    ASSERT_FALSE(done) << json;
    EXPECT_EQ(done.error().code(), ErrorCode::kInvalidArgument);
  }
}

TEST_F(RefConversion, ReadsEscapedStringsAndPercentEncodedProjects) {
  EXPECT_EQ(
      inward(R"(["svc:\/\/\/team\/a\/object\/x:y","svc:///team/b%20c/object/x:y"])"),
      R"(["svc-trace-internal:///prj_a/object/x:y","svc-trace-internal:///prj_b/object/x:y"])");
  EXPECT_EQ(inward(R"(["svc:///team/a/object/\"x\":y"])"),
            R"(["svc-trace-internal:///prj_a/object/\"x\":y"])");
}

TEST_F(RefConversion, LooksInsideStringsThatAreJson) {
  const std::string inner = R"({"r":"svc:///team/a/object/x:y","s":"line\nsvc:///"})";
  const std::string converted =
      R"({"r":"svc-trace-internal:///prj_a/object/x:y","s":"line\nsvc:///"})";
  EXPECT_EQ(inward("[" + json::quoted(inner) + "]"), "[" + json::quoted(converted) + "]");
  EXPECT_EQ(outward("[" + json::quoted(converted) + "]"), "[" + json::quoted(inner) + "]");
  EXPECT_EQ(inward(json::quoted(json::quoted(" " + inner))),
            json::quoted(json::quoted(" " + converted)));
  // Not valid JSON.
  const std::string prose = R"(["{svc:///team/a/object/x:y"])";
  EXPECT_EQ(inward(prose), prose);
}

TEST_F(RefConversion, StopsAfterEightLevels) {
  const auto nested = [](const std::string& ref, int depth) {
    std::string json = "[" + json::quoted(ref) + "]";
    for (int i = 0; i < depth; ++i) json = "[" + json::quoted(json) + "]";
    return json;
  };
  const std::string sent = "svc:///team/a/object/x:y";
  const std::string stored = "svc-trace-internal:///prj_a/object/x:y";
  EXPECT_EQ(inward(nested(sent, 8)), nested(stored, 8));
  EXPECT_EQ(inward(nested(sent, 9)), nested(sent, 9));
}

TEST_F(RefConversion, CollectsNeutralRefsOnceInOrder) {
  std::vector<std::string> refs;
  inward("[\"svc:///team/a/object/x:y\",\"" + vendor(RefScheme::kExternal, "team/a/object/x:y") +
             R"(","svc-artifact:///run/1:v0","svc:///other/secret/op/f:d",)"
             R"("{\"r\":\"svc:///team/a/call/7\"}","svc-trace-internal:///prj_b/table/t"])",
         &refs);
  const std::vector<std::string> expected = {
      "svc-trace-internal:///prj_a/object/x:y", "svc-artifact:///run/1:v0",
      "svc:///other/secret/op/f:d", "svc-trace-internal:///prj_a/call/7",
      "svc-trace-internal:///prj_b/table/t"};
  EXPECT_EQ(refs, expected);
}

TEST_F(RefConversion, ReturnsErrorsOfTheProjects) {
  std::string json = R"(["svc:///team/down/object/x:y"])";
  ASSERT_FALSE(internalizeRefs(json, projects_));
  json = R"(["svc-trace-internal:///prj_down/object/x:y"])";
  const Result<void> out = externalizeRefs(json, projects_, Spelling::kNeutral);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(json, R"(["svc-trace-internal:///prj_down/object/x:y"])");
}

TEST_F(RefConversion, ConvertsASingleText) {
  EXPECT_EQ(*internalRef("svc:///team/a/op/f:d", projects_), "svc-trace-internal:///prj_a/op/f:d");
  EXPECT_EQ(*internalRef("plain", projects_), "plain");
  EXPECT_FALSE(internalRef("svc:///team", projects_));
  EXPECT_EQ(*externalRef("svc-trace-internal:///prj_a/op/f:d", projects_, Spelling::kNeutral),
            "svc:///team/a/op/f:d");
  EXPECT_EQ(neutralRef(vendor(RefScheme::kInternal, "prj_a/op/f:d")),
            "svc-trace-internal:///prj_a/op/f:d");
  EXPECT_EQ(neutralRef("plain"), "plain");
}

TEST_F(RefConversion, ConvertsPartsOfATextThatBeginAndEndAnywhere) {
  const auto part = [this](std::string text) {
    EXPECT_TRUE(externalizeFragment(text, projects_, Spelling::kNeutral)) << text;
    return text;
  };
  EXPECT_EQ(part(R"(x","svc-trace-internal:///prj_a/object/x:y","b":")"),
            R"(x","svc:///team/a/object/x:y","b":")");
  EXPECT_EQ(part(R"({\"r\":\"svc-trace-internal:///prj_gone/call/1\"},")" +
                 vendor(RefScheme::kInternal, "prj_b/op/f:v")),
            R"({\"r\":\"svc-private://///call/1\"},"svc:///team/b c/op/f:v)");
  EXPECT_EQ(part("see svc-trace-internal:///prj_"), "see ");
  EXPECT_EQ(part("see svc-trace-internal:///"), "see ");
  const std::string prose =
      "svc-trace-internal:///" + std::string(100, 'x') + "/y svc:///a/b c:///";
  EXPECT_EQ(part(prose), prose);
  std::string failing = "svc-trace-internal:///prj_down/x";
  EXPECT_FALSE(externalizeFragment(failing, projects_, Spelling::kNeutral));
}

}  // namespace
}  // namespace spindle::objects
