#include "s3/client/xml.h"

#include <gtest/gtest.h>

namespace spindle::s3 {
namespace {

TEST(Xml, ParsesAList) {
  const Result<XmlElement> root = parseXml(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- c -->\n"
      "<s:List xmlns:s='http://a>b/'><Contents><Key>a&amp;b&#x2F;\xC3\xA4</Key></Contents>"
      "<Contents><Key><![CDATA[<x>]]></Key><Empty/></Contents><IsTruncated>false</IsTruncated>"
      "</s:List>\n");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->name, "List");
  ASSERT_EQ(root->children.size(), 3U);
  EXPECT_EQ(root->children[0].textOf("Key"), "a&b/\xC3\xA4");
  EXPECT_EQ(root->children[1].textOf("Key"), "<x>");
  EXPECT_EQ(root->textOf("IsTruncated"), "false");
  EXPECT_EQ(root->find("Nothing"), nullptr);
  EXPECT_EQ(root->textOf("Nothing"), "");
}

TEST(Xml, RefusesOtherTexts) {
  for (const std::string_view text :
       {"", "text", "<a>", "<a></b>", "<a><b></a></b>", "<a/><b/>", "<a>&unknown;</a>",
        "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>&amp</a>", "<a><![CDATA[</a>", "<a x='></a>",
        "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<a><!b></a>", "<a></a>x", "<>x</>"}) {
    EXPECT_FALSE(parseXml(text)) << text;
  }
}

TEST(Xml, LimitsDepthAndElements) {
  const auto nested = [](std::size_t depth) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += "<a>";
    for (std::size_t i = 0; i < depth; ++i) text += "</a>";
    return text;
  };
  EXPECT_TRUE(parseXml(nested(kXmlDepth)));
  EXPECT_FALSE(parseXml(nested(kXmlDepth + 1)));
  std::string wide = "<a>";
  for (std::size_t i = 0; i < kXmlElements; ++i) wide += "<b/>";
  EXPECT_FALSE(parseXml(wide + "</a>"));
}

TEST(Xml, EscapesText) { EXPECT_EQ(xmlEscaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&apos;"); }

}  // namespace
}  // namespace spindle::s3
