#include "base/process/service_manager.h"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/core/folder_for_test.h"

namespace spindle {
namespace {

/// A datagram socket in the role of systemd.
class ServiceManager : public ::testing::Test {
 protected:
  void SetUp() override { socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0); }
  void TearDown() override {
    ::unsetenv("NOTIFY_SOCKET");
    ::close(socket_);
  }

  void listenAt(const std::string& name) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name.front() == '@') address.sun_path[0] = '\0';
    ASSERT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&address),
                     static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size())),
              0);
    ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
  }

  std::string received() {
    std::array<char, 256> text{};
    const ssize_t size = ::recv(socket_, text.data(), text.size(), MSG_DONTWAIT);
    return {text.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
  }

  FolderForTest folder_;
  int socket_ = -1;
};

TEST_F(ServiceManager, ReceivesAStateAtAPath) {
  listenAt(folder_.path() + "/notify");
  EXPECT_TRUE(notifyServiceManager("READY=1"));
  EXPECT_EQ(received(), "READY=1");
}

TEST_F(ServiceManager, ReceivesAStateAtAnAbstractName) {
  listenAt("@spindle-test-" + std::to_string(::getpid()));
  EXPECT_TRUE(notifyServiceManager("STOPPING=1"));
  EXPECT_EQ(received(), "STOPPING=1");
}

TEST_F(ServiceManager, ThatDoesNotExistIsNotNotified) {
  ::unsetenv("NOTIFY_SOCKET");
  EXPECT_FALSE(notifyServiceManager("READY=1"));
  ::setenv("NOTIFY_SOCKET", (folder_.path() + "/nothing").c_str(), 1);
  EXPECT_FALSE(notifyServiceManager("READY=1"));
  ::setenv("NOTIFY_SOCKET", std::string(200, 'x').c_str(), 1);
  EXPECT_FALSE(notifyServiceManager("READY=1"));
}

}  // namespace
}  // namespace spindle
