#include "http/message/response_head.h"

#include <gtest/gtest.h>

namespace spindle::http {
namespace {

Response textOf(std::size_t size, std::string_view type) {
  Response response;
  response.headers.add("Content-Type", type);
  response.body.assign(size, 'x');
  return response;
}

TEST(ResponseHead, WritesTheServersFieldsAndTheServices) {
  Headers headers;
  headers.add("Content-Type", "application/json");
  headers.add("content-length", "99");
  headers.add("Connection", "upgrade");
  ResponseHeadFields fields;
  fields.status = 201;
  fields.content_length = 2;
  fields.date = "D";
  fields.request_id = "R";
  std::string out;
  appendHead(out, fields, headers);
  EXPECT_EQ(out,
            "HTTP/1.1 201 Created\r\nDate: D\r\nX-Request-Id: R\r\n"
            "Content-Type: application/json\r\nContent-Length: 2\r\n");
}

TEST(ResponseHead, AValueCannotStartANewLine) {
  Headers headers;
  headers.add("Location", "/a\r\nSet-Cookie: b");
  std::string out;
  appendHead(out, ResponseHeadFields(), headers);
  EXPECT_NE(out.find("Location: /a  Set-Cookie: b\r\n"), std::string::npos);
}

TEST(ResponseHead, WritesFramingAndConnectionFields) {
  ResponseHeadFields fields;
  fields.framing = BodyFraming::kChunked;
  fields.coding = Coding::kGzip;
  fields.close = true;
  std::string out;
  appendHead(out, fields, Headers());
  EXPECT_NE(
      out.find("Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n"),
      std::string::npos);
  EXPECT_EQ(out.find("Content-Length"), std::string::npos);
}

TEST(RefusalResponse, UsesTheErrorFormatOfTheRoute) {
  EXPECT_EQ(refusalResponse(413, "Too large", ErrorShape::kDetail).body,
            R"({"detail":"Too large"})");
  EXPECT_EQ(refusalResponse(413, "Too large", ErrorShape::kReason).body,
            R"({"reason":"Too large"})");
  EXPECT_EQ(refusalResponse(413, "Too large", ErrorShape::kDetailWithCode).body,
            R"({"detail":"Too large","code":"too_large"})");
  EXPECT_EQ(refusalResponse(415, "No", ErrorShape::kDetailWithCode).body,
            R"({"detail":"No","code":"unsupported_media_type"})");
}

TEST(DateText, IsAnHttpDate) {
  DateText date;
  EXPECT_EQ(date.at(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(date.at(784111778), "Sun, 06 Nov 1994 08:49:38 GMT");
}

TEST(NegotiateCoding, CompressesLargeText) {
  for (const std::string_view type :
       {"application/json", "application/x-ndjson", "text/html; charset=utf-8", "image/svg+xml",
        "application/javascript", "application/problem+json", "TEXT/CSV"}) {
    Response response = textOf(1024, type);
    EXPECT_EQ(negotiateCoding(response, "gzip"), Coding::kGzip) << type;
    EXPECT_EQ(response.headers.get("Vary"), "Accept-Encoding");
  }
  Response plain = textOf(1024, "text/plain");
  EXPECT_EQ(negotiateCoding(plain, ""), Coding::kIdentity);
  EXPECT_EQ(plain.headers.get("Vary"), "Accept-Encoding");
}

TEST(NegotiateCoding, DoesNotCompressOtherResponses) {
  Response small = textOf(1023, "application/json");
  EXPECT_EQ(negotiateCoding(small, "gzip"), Coding::kIdentity);
  Response picture = textOf(5000, "image/png");
  EXPECT_EQ(negotiateCoding(picture, "gzip"), Coding::kIdentity);
  EXPECT_EQ(picture.headers.find("Vary"), nullptr);
  Response events = textOf(5000, "text/event-stream");
  EXPECT_EQ(negotiateCoding(events, "gzip"), Coding::kIdentity);
  Response coded = textOf(5000, "text/plain");
  coded.headers.add("Content-Encoding", "br");
  EXPECT_EQ(negotiateCoding(coded, "gzip"), Coding::kIdentity);
  Response fixed = textOf(5000, "text/plain");
  fixed.headers.add("Cache-Control", "public, no-transform");
  EXPECT_EQ(negotiateCoding(fixed, "gzip"), Coding::kIdentity);
  Response part = textOf(5000, "text/plain");
  part.status = 206;
  EXPECT_EQ(negotiateCoding(part, "gzip"), Coding::kIdentity);
}

}  // namespace
}  // namespace spindle::http
