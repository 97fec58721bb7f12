#include "app/web/console_link.h"

#include <gtest/gtest.h>

namespace spindle::app {
namespace {

TEST(ConsoleLink, LeadsToTheServer) {
  config::ServerSettings server;
  const Secret code("abc");
  EXPECT_EQ(listenUrl(server), "http://127.0.0.1:8080");
  EXPECT_EQ(signInLink(server, "http://127.0.0.1:8080", code),
            "http://127.0.0.1:8080/console#code=abc");
  EXPECT_EQ(signInLink(server, "https://0.0.0.0:8443", code),
            "https://127.0.0.1:8443/console#code=abc");
  EXPECT_EQ(signInLink(server, "http://[::]:8080", code), "http://[::1]:8080/console#code=abc");
  server.base_path = "/tools";
  EXPECT_EQ(signInLink(server, "http://127.0.0.1:8080", code),
            "http://127.0.0.1:8080/tools/console#code=abc");
  server.public_url = "https://example.com/spindle";
  EXPECT_EQ(signInLink(server, "http://127.0.0.1:8080", code),
            "https://example.com/spindle/console#code=abc");
}

}  // namespace
}  // namespace spindle::app
