#include "http/client/client_message.h"

#include <gtest/gtest.h>

namespace spindle::http {
namespace {

struct Answer {
  int status = 0;
  std::string headers;
  std::string body;
  bool keep_alive = false;
  std::string rest;
};

/// Parses a response that arrives in reads of `piece` bytes; the connection is closed after it.
Result<Answer> readAnswer(std::string_view bytes, std::size_t piece, bool body_follows = true) {
  ResponseReader reader(body_follows);
  Answer answer;
  std::string unread;
  for (std::size_t at = 0; at < bytes.size() && !reader.done(); at += piece) {
    unread += bytes.substr(at, piece);
    std::size_t used = TRY(reader.feed(unread));
    unread.erase(0, used);
    answer.body += reader.takeBody();
  }
  TRY(reader.end());
  answer.status = reader.head().status;
  for (const auto& [name, value] : reader.head().headers)
    answer.headers += name + "=" + value + ";";
  answer.keep_alive = reader.keepAlive();
  answer.rest = unread;
  return answer;
}

TEST(ClientMessage, ParsesAResponseInReadsOfAnySize) {
  const std::string chunked =
      "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
      "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\nX-A: 2\r\n"
      "Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n\r\n"
      "5;ext=1\r\nhello\r\n6\r\n world\r\n0\r\nTrailer: no\r\n\r\n";
  for (std::size_t piece = 1; piece <= chunked.size(); ++piece) {
    const Result<Answer> answer = readAnswer(chunked, piece);
    ASSERT_TRUE(answer) << piece << ": " << answer.error().message();
    EXPECT_EQ(answer->status, 201);
    EXPECT_EQ(answer->headers, "X-A=1;X-A=2;");
    EXPECT_EQ(answer->body, "hello world");
    EXPECT_TRUE(answer->keep_alive);
  }
}

TEST(ClientMessage, SkipsTrailersEvenIfInvalid) {
  for (const std::string_view trailer : {"hello\r\n", "T: u\r\n0\r\n", ": \r\n", " x\r\n", ""}) {
    const std::string bytes =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n" +
        std::string(trailer) + "\r\n";
    for (const std::size_t piece : {1UL, 1000UL}) {
      const Result<Answer> answer = readAnswer(bytes, piece);
      ASSERT_TRUE(answer) << trailer << answer.error().message();
      EXPECT_EQ(answer->body, "ok");
    }
  }
}

TEST(ClientMessage, FindsTheEndOfTheBody) {
  struct Case {
    std::string_view bytes;
    bool body_follows;
    std::string_view body;
    bool keep_alive;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcextra", true, "abc", true},
           {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc", true, "abc",
            false},
           {"HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nabc", true, "abc", false},
           {"HTTP/1.1 200 OK\r\n\r\nuntil the end", true, "until the end", false},
           {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true, "", true},
           {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", false, "", true},
           {"HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\n", true, "", true},
           {"HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n", true, "", true}}) {
    const Result<Answer> answer = readAnswer(c.bytes, 1000, c.body_follows);
    ASSERT_TRUE(answer) << c.bytes << answer.error().message();
    EXPECT_EQ(answer->body, c.body);
    EXPECT_EQ(answer->keep_alive, c.keep_alive) << c.bytes;
  }
}

TEST(ClientMessage, DetectsAnInvalidResponse) {
  const std::string long_head = "HTTP/1.1 200 OK\r\nX: " + std::string(70000, 'x') + "\r\n\r\n";
  const std::string long_chunk_line =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(150000, 'x');
  for (const std::string_view bytes :
       {std::string_view(""), std::string_view("HTTP/1.1 2"),
        std::string_view("HTTP/1.1 200 OK\r\n"), std::string_view("SSH-2.0-OpenSSH\r\n"),
        std::string_view("HTTP/2 200 OK\r\n\r\n"),
        std::string_view("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc"),
        std::string_view("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nabc"),
        std::string_view("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
        std::string_view("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        std::string_view("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"),
        std::string_view("HTTP/1.1 101 Switching Protocols\r\n\r\n"), std::string_view(long_head),
        std::string_view(long_chunk_line)}) {
    for (const std::size_t piece : {1000UL, 1000000UL}) {
      const Result<Answer> answer = readAnswer(bytes, piece);
      ASSERT_FALSE(answer) << bytes.substr(0, 100);
      EXPECT_EQ(answer.error().code(), ErrorCode::kUpstream);
    }
  }
}

TEST(ClientMessage, WritesTheHeadOfARequest) {
  ClientRequest request;
  request.method = Method::kPost;
  request.headers.add("X-Custom", "yes");
  request.headers.add("connection", "close");
  request.headers.add("Content-Length", "999");
  request.headers.add("Transfer-Encoding", "chunked");
  request.body = "12345";
  const Result<Url> url = parseUrl("http://example.org:8080/a?b=c");
  ASSERT_TRUE(url);
  EXPECT_EQ(*requestHead(request, *url, false),
            "POST /a?b=c HTTP/1.1\r\nHost: example.org:8080\r\nX-Custom: yes\r\nAccept: */*\r\n"
            "User-Agent: spindle\r\nAccept-Encoding: zstd, gzip\r\nContent-Length: 5\r\n\r\n");

  ClientRequest plain;
  plain.headers.add("Host", "other");
  plain.headers.add("Accept", "text/event-stream");
  plain.headers.add("User-Agent", "test");
  EXPECT_EQ(*requestHead(plain, *url, true),
            "GET /a?b=c HTTP/1.1\r\nHost: other\r\nAccept: text/event-stream\r\n"
            "User-Agent: test\r\nAccept-Encoding: identity\r\n\r\n");

  ClientRequest silent;
  silent.headers.add("accept-encoding", "");
  EXPECT_EQ(*requestHead(silent, *url, true),
            "GET /a?b=c HTTP/1.1\r\nHost: example.org:8080\r\nAccept: */*\r\n"
            "User-Agent: spindle\r\n\r\n");
}

TEST(ClientMessage, RejectsHeaderInjection) {
  const Result<Url> url = parseUrl("http://example.org/");
  ASSERT_TRUE(url);
  for (const auto& [name, value] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"X", "a\r\nY: b"},
           {"X", "a\nb"},
           {"X\r\nY", "b"},
           {"X Y", "b"},
           {"", "b"},
           {"X:", "b"},
           {"X", std::string_view("a\0b", 3)}}) {
    ClientRequest request;
    request.headers.add(name, value);
    const Result<std::string> head = requestHead(request, *url, false);
    ASSERT_FALSE(head);
    EXPECT_EQ(head.error().code(), ErrorCode::kInvalidArgument);
  }
  ClientRequest request;
  request.method = Method::kOther;
  EXPECT_FALSE(requestHead(request, *url, false));
}

}  // namespace
}  // namespace spindle::http
