#include "objects/values/ref.h"

#include <utility>

#include <gtest/gtest.h>

namespace spindle::objects {
namespace {

using wire::RefScheme, wire::schemeText, wire::Spelling;

Ref parsed(const std::string& text) {
  Result<Ref> ref = parseRef(text);
  EXPECT_TRUE(ref) << text;
  return ref ? *std::move(ref) : Ref{};
}

TEST(Ref, ParsesAnObjectRef) {
  const Ref ref = parsed("svc:///team/project/object/my-model:abc/attr/rows/id/r1/key/a/index/3");
  EXPECT_EQ(ref.scheme, RefScheme::kExternal);
  EXPECT_EQ(ref.project, "team/project");
  EXPECT_EQ(ref.kind, RefKind::kObject);
  EXPECT_EQ(ref.name, "my-model");
  EXPECT_EQ(ref.version, "abc");
  const std::vector<RefEdge> edges = {{RefEdge::Kind::kAttribute, "rows"},
                                      {RefEdge::Kind::kRow, "r1"},
                                      {RefEdge::Kind::kKey, "a"},
                                      {RefEdge::Kind::kIndex, "3"}};
  EXPECT_EQ(ref.edges, edges);
}

TEST(Ref, PrintsWhatItParsed) {
  for (const std::string text :
       {"svc:///e/p/object/name:v", "svc:///e/p/op/name:latest/attr/x", "svc:///e/p/table/0123",
        "svc:///e/p/call/0198-7", "svc:///e/p/agent_turn/t", "svc:///e/p/agent_conversation/a%2Fb",
        "svc:///e/p/agent_span/s", "svc-trace-internal:///prj_1/object/n:d/key/%C3%A9%20%2F%25",
        "svc-private://///object/n:d"}) {
    EXPECT_EQ(printRef(parsed(text)), text);
  }
}

TEST(Ref, KeepsItsSpelling) {
  for (const RefScheme scheme : {RefScheme::kExternal, RefScheme::kInternal, RefScheme::kPrivate}) {
    const std::string project = scheme == RefScheme::kExternal   ? "e/p/"
                                : scheme == RefScheme::kInternal ? "prj_1/"
                                                                 : "";
    const std::string text =
        std::string(schemeText(scheme, Spelling::kVendor)) + project + "object/n:d";
    EXPECT_EQ(parsed(text).spelling, Spelling::kVendor);
    EXPECT_EQ(printRef(parsed(text)), text);
  }
}

TEST(Ref, DecodesNamesVersionsAndEdges) {
  const Ref ref = parsed("svc:///e/p/object/a%3Ab%2F:v%20x/key/100%25");
  EXPECT_EQ(ref.name, "a:b/");
  EXPECT_EQ(ref.version, "v x");
  EXPECT_EQ(ref.edges.front().value, "100%");
}

TEST(Ref, RefusesInvalidRefs) {
  for (const std::string text : {"",
                                 "hello",
                                 "svc:///",
                                 "svc:///e",
                                 "svc:///e/p",
                                 "svc:///e/p/",
                                 "svc:///e//object/a:b",
                                 "svc:////p/object/a:b",
                                 "svc:///e/p/thing/a:b",
                                 "svc:///e/p/object/",
                                 "svc:///e/p/object/a",
                                 "svc:///e/p/object/a:",
                                 "svc:///e/p/object/:b",
                                 "svc:///e/p/object/a:b/foo/x",
                                 "svc:///e/p/object/a:b/index/x",
                                 "svc:///e/p/object/a:b/index/-1",
                                 "svc:///e/p/table/",
                                 "svc:///e/p/call/",
                                 "svc-trace-internal:///",
                                 "svc-trace-internal:///prj_1",
                                 "svc-private://///",
                                 "svc-artifact:///x/y:z",
                                 "svc://e/p/object/a:b"}) {
    const Result<Ref> ref = parseRef(text);
    ASSERT_FALSE(ref) << text;
    EXPECT_EQ(ref.error().code(), ErrorCode::kInvalidArgument);
  }
}

TEST(Ref, EncodesUnsafeCharacters) {
  EXPECT_EQ(percentEncoded("aZ09-._~ /:%é"), "aZ09-._~%20%2F%3A%25%C3%A9");
  using Decoded = std::pair<const char*, const char*>;
  for (const auto& [text, decoded] :
       {Decoded{"aZ09-._~%20%2F%3A%25%C3%A9", "aZ09-._~ /:%é"}, Decoded{"%", "%"},
        Decoded{"%4", "%4"}, Decoded{"%zz%41", "%zzA"}}) {
    EXPECT_EQ(percentDecoded(text), decoded) << text;
  }
}

}  // namespace
}  // namespace spindle::objects
