#include "http/message/request_parser.h"

#include <string>

#include <gtest/gtest.h>

#include "base/core/results_for_test.h"
#include "http/message/total_progress_for_test.h"

namespace spindle::http {
namespace {

using ParserState = RequestParser::State;

struct Parsed : TotalProgress<RequestParser> {
  int status = 0;
  Request request;
  RequestFraming framing;
};

void parse(Parsed& parsed, std::string_view in, std::size_t step = 100000) {
  RequestParser parser(1000);
  parser.begin(parsed.request);
  std::size_t seen = 0;
  while (parsed.state == ParserState::kMore && seen < in.size()) {
    seen = std::min(in.size(), seen + step);
    parsed.add(parser.feed(in.substr(parsed.used, seen - parsed.used)));
  }
  if (parsed.state == ParserState::kDone) parsed.framing = parser.framing();
  if (parsed.state == ParserState::kRefused) parsed.status = parser.refusal().status;
}

int statusOf(std::string_view in) {
  Parsed parsed;
  parse(parsed, in);
  return parsed.status;
}

TEST(RequestParser, ParsesAHeadInReadsOfAnySize) {
  const std::string_view in =
      "\r\nPOST /a%20b?c=d HTTP/1.1\r\nHost: h\r\nX-A:  v v \r\nContent-Length: 5\r\n\r\nhello";
  for (const std::size_t step : {1U, 2U, 3U, 10U, 1000U}) {
    Parsed parsed;
    parse(parsed, in, step);
    ASSERT_EQ(parsed.state, ParserState::kDone);
    EXPECT_EQ(in.substr(parsed.used), "hello");
    EXPECT_EQ(parsed.request.method, Method::kPost);
    EXPECT_EQ(parsed.request.target, "/a%20b?c=d");
    EXPECT_EQ(parsed.request.headers.get("x-a"), "v v");
    EXPECT_EQ(parsed.request.headers.size(), 3U);
    EXPECT_EQ(parsed.framing.content_length, 5U);
    EXPECT_TRUE(parsed.framing.keep_alive);
    EXPECT_FALSE(parsed.framing.chunked);
  }
}

TEST(RequestParser, DetectsConnectionClose) {
  Parsed close;
  parse(close, "GET / HTTP/1.1\r\nHost: h\r\nConnection: x, Close\r\n\r\n");
  EXPECT_FALSE(close.framing.keep_alive);
  Parsed old;
  parse(old, "GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.state, ParserState::kDone) << "HTTP/1.0 needs no Host";
  EXPECT_TRUE(old.framing.http_1_0);
  EXPECT_FALSE(old.framing.keep_alive);
  Parsed kept;
  parse(kept, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_TRUE(kept.framing.keep_alive);
}

TEST(RequestParser, ExtractsThePathOfAnAbsoluteUrl) {
  Parsed parsed;
  parse(parsed, "GET http://h:80/a?b HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(parsed.request.target, "/a?b");
  Parsed bare;
  parse(bare, "GET HTTP://h HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(bare.request.target, "/");
  Parsed all;
  parse(all, "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(all.request.target, "*");
  EXPECT_EQ(statusOf("CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
}

TEST(RequestParser, RemovesTheBasePath) {
  const auto target_of = [](const std::string& target) {
    Request request;
    RequestParser parser(1000, "/custom");
    parser.begin(request);
    parser.feed("GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n");
    return request.target + " " + std::string(request.headers.get("X-Forwarded-Prefix"));
  };
  expectResults<std::string, std::string_view>(target_of,
                                               {{"/custom/v1/models?a=b", "/v1/models?a=b /custom"},
                                                {"/custom", "/ /custom"},
                                                {"/custom?a=b", "/?a=b /custom"},
                                                {"http://h/custom/docs", "/docs /custom"},
                                                {"/v1/models", "/v1/models "},
                                                {"/customer/v1", "/customer/v1 "},
                                                {"*", "* "}});
}

TEST(RequestParser, RejectsAmbiguousHeads) {
  EXPECT_EQ(statusOf("GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer a\r\n"
                     "authorization: Bearer b\r\n\r\n"),
            400);
  const std::string start = "POST / HTTP/1.1\r\nHost: h\r\n";
  for (const std::string_view fields :
       {"Content-Length: 1\r\nContent-Length: 1\r\n",
        "Content-Length: 1\r\nContent-Length: 2\r\n",
        "Content-Length: 1, 1\r\n",
        "Content-Length: +1\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: 0x1\r\n",
        "Content-Length: 1 1\r\n",
        "Content-Length:\r\n",
        "Content-Length: 99999999999999999999\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n",
        "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 1\r\nTransfer-Encoding: gzip\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Host: other\r\n",
        "Content-Length : 1\r\n",
        "A B: c\r\n",
        "No-Colon\r\n",
        ": x\r\n",
        "A: b\rc\r\n",
        "A: b\r\n c\r\n",
        "A: b\r\n\tc\r\n",
        "A: b\r\n \r\n",
        "Content-Length:\r\n 1\r\n",
        " A: b\r\n"}) {
    EXPECT_EQ(statusOf(start + std::string(fields) + "\r\n"), 400) << fields;
  }
  EXPECT_EQ(statusOf("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
  EXPECT_EQ(statusOf("GET / HTTP/1.1\r\n\r\n"), 400) << "no Host";
}

TEST(RequestParser, RejectsMalformedHeads) {
  for (const std::string_view in :
       {"nonsense\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/2.0\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\nHost: h\n\n", "GET /a b HTTP/1.1\r\n\r\n", "GET /\x01 HTTP/1.1\r\n\r\n",
        "G(T / HTTP/1.1\r\n\r\n", "GET a HTTP/1.1\r\nHost: h\r\n\r\n", "\x16\x03\x01\x02\x00\x01",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"}) {
    EXPECT_EQ(statusOf(in), 400) << in;
  }
}

TEST(RequestParser, RejectsUnsupportedFeatures) {
  const std::string start = "POST / HTTP/1.1\r\nHost: h\r\n";
  EXPECT_EQ(statusOf(start + "Transfer-Encoding: gzip\r\n\r\n"), 501);
  EXPECT_EQ(statusOf(start + "Transfer-Encoding: gzip, chunked\r\n\r\n"), 501);
  EXPECT_EQ(statusOf(start + "Transfer-Encoding: xchunked\r\n\r\n"), 501);
  EXPECT_EQ(statusOf(start + "Expect: a-miracle\r\n\r\n"), 417);
}

TEST(RequestParser, RefusesHeadsOverTheLimit) {
  EXPECT_EQ(statusOf("GET /" + std::string(1000, 'a')), 414);
  EXPECT_EQ(statusOf("GET / HTTP/1.1\r\nHost: h\r\nA: " + std::string(1000, 'a')), 431);
  std::string many = "GET / HTTP/1.1\r\nHost: h\r\n";
  for (int i = 0; i < 300; ++i) many += "a:\r\n";
  EXPECT_EQ(statusOf(many + "\r\n"), 431);
  Parsed slow;
  parse(slow, "GET /" + std::string(2000, 'a'), 1);
  EXPECT_EQ(slow.status, 414);
  Parsed fits;
  parse(fits, "GET /" + std::string(900, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(fits.state, ParserState::kDone);
}

TEST(RequestParser, CountsTheWholeHeadInReadsOfAnySize) {
  const std::string start = "GET /" + std::string(400, 'a') + " HTTP/1.1\r\nHost: h\r\nA: ";
  const std::string_view end = "\r\n\r\n";
  for (const std::size_t size : {999U, 1000U, 1001U, 1300U}) {
    const std::string head =
        start + std::string(size - start.size() - end.size(), 'a') + std::string(end);
    for (const std::size_t step : {1U, 7U, 450U, 100000U}) {
      SCOPED_TRACE(std::to_string(size) + " bytes in reads of " + std::to_string(step));
      Parsed parsed;
      parse(parsed, head, step);
      EXPECT_EQ(parsed.state, size <= 1000 ? ParserState::kDone : ParserState::kRefused);
      EXPECT_EQ(parsed.status, size <= 1000 ? 0 : 431);
    }
  }
}

}  // namespace
}  // namespace spindle::http
