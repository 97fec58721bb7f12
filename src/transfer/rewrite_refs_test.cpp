#include "transfer/rewrite_refs.h"

#include <string>

#include <gtest/gtest.h>

#include "wire/spelling.h"

namespace spindle::transfer {
namespace {

std::string rewritten(std::string_view json) { return rewriteRefs(json, "old/app", "new/other"); }

TEST(RewriteRefs, ChangesTheProject) {
  EXPECT_EQ(rewritten(R"({"a":"svc:///old/app/object/x:1","b":["svc:///old/app/call/7"]})"),
            R"({"a":"svc:///new/other/object/x:1","b":["svc:///new/other/call/7"]})");
  EXPECT_EQ(rewritten(R"("svc:///old/app/op/x:1")"), R"("svc:///new/other/op/x:1")");
}

TEST(RewriteRefs, KeepsTheSpelling) {
  const std::string scheme(wire::schemeText(wire::RefScheme::kExternal, wire::Spelling::kVendor));
  EXPECT_EQ(rewritten("\"" + scheme + "old/app/op/x:1\""), "\"" + scheme + "new/other/op/x:1\"");
}

TEST(RewriteRefs, FindsEscapedRefs) {
  EXPECT_EQ(rewritten(R"(["svc:\/\/\/old\/app\/op\/x:1"])"), R"(["svc:///new/other/op/x:1"])");
}

TEST(RewriteRefs, FindsRefsInNestedJsonText) {
  EXPECT_EQ(rewritten(R"({"a":"{ \"b\" : \"svc:///old/app/op/x:1\" }"})"),
            R"({"a":"{ \"b\" : \"svc:///new/other/op/x:1\" }"})");
}

TEST(RewriteRefs, StopsAfterEightLevels) {
  std::string text = R"("svc:///old/app/op/x:1")";
  for (int i = 0; i < 9; ++i) {
    std::string outer = "\"[";
    for (const char c : text)
      outer += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    text = outer + "]\"";
  }
  EXPECT_EQ(rewritten(text), text);
}

TEST(RewriteRefs, KeepsOtherText) {
  for (const char* json : {
           R"({"a":"svc:///old/apple/op/x:1","b":"svc:///other/app/op/x:1"})",
           R"({"svc:///old/app/op/x:1":"see svc:///old/app/op/x:1"})",
           R"({ "n": 1.10, "t": "old/app", "u": "éold" , "x":[ true,null ]})",
           R"("{not JSON, but old/app")",
           R"("svc-artifact:///old/app/x:1")",
       }) {
    EXPECT_EQ(rewritten(json), json);
  }
}

TEST(RewriteRefs, KeepsTextForTheSameProject) {
  EXPECT_EQ(rewriteRefs(R"("svc:\/\/\/old/app/op/x:1")", "old/app", "old/app"),
            R"("svc:\/\/\/old/app/op/x:1")");
}

}  // namespace
}  // namespace spindle::transfer
