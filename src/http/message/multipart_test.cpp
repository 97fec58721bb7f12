#include "http/message/multipart.h"

#include <gtest/gtest.h>

namespace spindle::http {
namespace {

constexpr std::string_view kType = "multipart/form-data; boundary=xyz";

std::string formOf(std::string_view disposition, std::string_view data = "data") {
  return "--xyz\r\nContent-Disposition: " + std::string(disposition) + "\r\n\r\n" +
         std::string(data) + "\r\n--xyz--\r\n";
}

TEST(Multipart, ParsesPartsInOrder) {
  const std::string body =
      "--xyz\r\n"
      "Content-Disposition: form-data; name=\"purpose\"\r\n\r\n"
      "fine-tune\r\n"
      "--xyz\r\n"
      "content-disposition: form-data; filename=\"a b.jsonl\"; name=file\r\n"
      "Content-Type: application/jsonl; charset=utf-8\r\n\r\n"
      "{\"a\":1}\r\n{\"b\":2}\r\n\r\n"
      "--xyz\r\n"
      "Content-Disposition: form-data; name=\"empty\"\r\n\r\n"
      "\r\n"
      "--xyz--\r\n";
  const auto parts = parseMultipart(kType, body);
  ASSERT_TRUE(parts) << parts.error().message();
  ASSERT_EQ(parts->size(), 3U);
  const FormPart& purpose = (*parts)[0];
  EXPECT_EQ(purpose.name, "purpose");
  EXPECT_FALSE(purpose.has_filename);
  EXPECT_EQ(purpose.content_type, "text/plain");
  EXPECT_EQ(purpose.data, "fine-tune");
  const FormPart& file = (*parts)[1];
  EXPECT_EQ(file.name, "file");
  EXPECT_EQ(file.filename, "a b.jsonl");
  EXPECT_EQ(file.content_type, "application/jsonl; charset=utf-8");
  EXPECT_EQ(file.data, "{\"a\":1}\r\n{\"b\":2}\r\n");
  EXPECT_GE(file.data.data(), body.data());
  EXPECT_LE(file.data.data() + file.data.size(), body.data() + body.size());
  EXPECT_EQ((*parts)[2].data, "");
}

TEST(Multipart, KeepsDataThatOnlyLooksLikeADelimiter) {
  const std::string data = "--xyz\r\n\r\n--xy\r\n--xyzz\r\n-- xyz\r\n--xyz-\n--xyz--x\r\n\r\r\n";
  const std::string body = formOf("form-data; name=a", "x" + data);
  const auto parts = parseMultipart(kType, body);
  ASSERT_TRUE(parts) << parts.error().message();
  EXPECT_EQ(parts->at(0).data, "x" + data);
}

TEST(Multipart, AcceptsPreambleEpiloguePaddingAndAnEmptyForm) {
  const auto parts = parseMultipart(
      kType,
      "a preamble\r\nof lines\r\n--xyz \t\r\nContent-Disposition: form-data; name=a\r\n\r\nA\r\n"
      "--xyz\r\nContent-Disposition: form-data; name=b\r\n\r\n--xyz-- \r\nan epilogue");
  ASSERT_TRUE(parts) << parts.error().message();
  ASSERT_EQ(parts->size(), 2U);
  EXPECT_EQ(parts->at(0).data, "A");
  EXPECT_EQ(parts->at(1).data, "");
  for (const std::string_view empty : {"--xyz--", "--xyz--\r\n"}) {
    const auto none = parseMultipart(kType, empty);
    ASSERT_TRUE(none);
    EXPECT_TRUE(none->empty());
  }
}

TEST(Multipart, ParsesAllFormsOfNameAndFilename) {
  struct Case {
    std::string_view disposition, name, filename;
  };
  for (const Case& c : std::initializer_list<Case>{
           {R"(form-data; name="a\"b\\c"; filename="x\"y.txt")", R"(a"b\c)", R"(x"y.txt)"},
           {R"(form-data; name=a; filename="C:\dir\file.txt")", "a", R"(C:\dir\file.txt)"},
           {"form-data; name=a; filename=\"na\xC3\xAFve.txt\"", "a", "na\xC3\xAFve.txt"},
           {"form-data; name=a; filename=old.txt; filename*=UTF-8''na%C3%AFve%20.txt", "a",
            "na\xC3\xAFve .txt"},
           {"form-data; name=a; filename*=utf-8'en'new.txt; filename=old.txt", "a", "new.txt"},
           {"Form-Data;NAME=\"a;b\";FileName=\"x;y\";", "a;b", "x;y"},
           {R"(form-data; name=""; filename="")", "", ""},
           {"form-data ; name = a ;; size=3; filename=f", "a", "f"}}) {
    const auto parts = parseMultipart(kType, formOf(c.disposition));
    ASSERT_TRUE(parts) << c.disposition << ": " << parts.error().message();
    EXPECT_EQ(parts->at(0).name, c.name);
    EXPECT_EQ(parts->at(0).filename, c.filename);
    EXPECT_TRUE(parts->at(0).has_filename);
  }
}

TEST(Multipart, ReportsErrorsOfAPart) {
  struct Case {
    std::string_view disposition, message;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"attachment; name=a", "Bad form: a part's Content-Disposition is not form-data."},
           {"form-data", "Bad form: a part has no name."},
           {"form-data; name=a; name=b", "Bad form: a part has two names."},
           {"form-data; name=\"a", "Bad form: a quoted value is not closed."},
           {"form-data; name", "Bad form: a parameter is not of the form name=value."},
           {"form-data; name=", "Bad form: a parameter has no value."},
           {"form-data; name=\"a\"b", "Bad form: a parameter is not followed by a semicolon."},
           {"form-data; name=\"\xFF\"", "Bad form: a part's name is not clean UTF-8 text."},
           {"form-data; name=a; filename=\"x\ny\"",
            "Bad form: a part's filename is not clean UTF-8 text."},
           {"form-data; name=a; filename*=latin1''x",
            "Bad form: a part's filename* is not UTF-8 percent-encoded."},
           {"form-data; name=a\r\nContent-Disposition: form-data; name=b",
            "Bad form: a part has two Content-Disposition headers."},
           {"form-data; name=a\r\n folded", "Bad form: a part has a header line without a name."},
           {"form-data; name=a\r\nContent-Transfer-Encoding: base64",
            "Bad form: a part has a transfer encoding, which forms over HTTP do not use."}}) {
    const auto parts = parseMultipart(kType, formOf(c.disposition));
    ASSERT_FALSE(parts) << c.disposition;
    EXPECT_EQ(parts.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(parts.error().message(), c.message);
  }
}

TEST(Multipart, ReportsErrorsOfTheForm) {
  struct Case {
    std::string_view type, body, message;
  };
  const std::string header = "--xyz\r\nContent-Disposition: form-data; name=a\r\n\r\n";
  const std::string unfinished = header + "data\r\n--xyz";
  const std::string no_end = header + "data";
  for (const Case& c : std::initializer_list<Case>{
           {"multipart/form-data", "", "Bad form: the Content-Type has no boundary."},
           {"multipart/form-data; boundary=", "", "Bad form: a parameter has no value."},
           {"multipart/form-data; boundary=\"a \"", "",
            "Bad form: the boundary is not 1 to 70 allowed characters."},
           {"multipart/form-data; charset=\"a\"b; boundary=x", "",
            "Bad form: a parameter is not followed by a semicolon."},
           {kType, "", "Bad form: the boundary does not occur in the body."},
           {kType, "x--xyz\r\n", "Bad form: the boundary does not occur in the body."},
           {kType, "--xyz\r\nContent-Disp", "Bad form: a part's header does not end."},
           {kType, "--xyz\r\n\r\n\r\n--xyz--", "Bad form: a part has no Content-Disposition."},
           {kType, unfinished, "Bad form: the body ends before its closing boundary."},
           {kType, no_end, "Bad form: the body ends before its closing boundary."}}) {
    const auto parts = parseMultipart(c.type, c.body);
    ASSERT_FALSE(parts) << c.body;
    EXPECT_EQ(parts.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(parts.error().message(), c.message);
  }
  const auto other = parseMultipart("application/json", "{}");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code(), ErrorCode::kUnsupportedMediaType);
}

TEST(Multipart, EnforcesItsExactLimits) {
  std::string body;
  for (int i = 0; i < 3; ++i) {
    body += "--xyz\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n";
  }
  body += "--xyz--";
  const std::size_t header_bytes =
      std::string_view("Content-Disposition: form-data; name=a").size();
  EXPECT_TRUE(parseMultipart(kType, body, {.parts = 3, .header_bytes = header_bytes}));
  const auto too_many = parseMultipart(kType, body, {.parts = 2, .header_bytes = header_bytes});
  ASSERT_FALSE(too_many);
  EXPECT_EQ(too_many.error().code(), ErrorCode::kTooLarge);
  EXPECT_EQ(too_many.error().message(), "The form has more than 2 parts.");
  const auto too_long = parseMultipart(kType, body, {.parts = 3, .header_bytes = header_bytes - 1});
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.error().code(), ErrorCode::kTooLarge);
}

TEST(Multipart, ReadsQuotedBoundariesAndOtherParameters) {
  const std::string body =
      "--a b?=\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--a b?=--";
  EXPECT_TRUE(parseMultipart("Multipart/Form-Data; charset=utf-8; Boundary=\"a b?=\"; x=y", body));
  EXPECT_EQ(*fieldParameter("text/plain; charset=\"utf-8\"", "CHARSET"), "utf-8");
  EXPECT_EQ(fieldParameter("text/plain", "charset").error().code(), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace spindle::http
