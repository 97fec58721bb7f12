#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "http/server/server_fixture.h"

namespace spindle::http {
namespace {

class UnixServerTest : public ServerTest {
 public:
  ~UnixServerTest() override {
    server_.reset();
    ::unlink(options_.unix_path.c_str());
    ::rmdir(folder_.c_str());
  }

 protected:
  UnixServerTest() {
    char name[] = "/tmp/spindle-unix-XXXXXX";
    folder_ = ::mkdtemp(name);
    options_.unix_path = folder_ + "/s";
  }

  mode_t modeOf(const std::string& path) const {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0 ? found.st_mode : 0;
  }
  std::string whyNot() {
    try {
      start();
    } catch (const std::runtime_error& reason) {
      return reason.what();
    }
    return "";
  }
  /// Creates a socket file without a listener, as a killed process leaves it.
  void leaveSocket() {
    const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, options_.unix_path.data(), options_.unix_path.size());
    ASSERT_EQ(::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::close(descriptor);
  }

  std::string folder_;
};

TEST_F(UnixServerTest, SocketIsAccessibleToThisUserOnly) {
  start();
  EXPECT_EQ(server_->url(), "unix:" + options_.unix_path);
  EXPECT_EQ(server_->port(), 0);
  EXPECT_EQ(modeOf(options_.unix_path), mode_t{S_IFSOCK | S_IRUSR | S_IWUSR});
  BlockingClient client(options_.unix_path);
  for (int i = 0; i < 3; ++i) {
    const WireResponse response = client.ask(post("/a", std::string(100'000, 'x')));
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "POST /a " + std::string(100'000, 'x'));
  }
}

TEST_F(UnixServerTest, RemovesItsFileOnStop) {
  start();
  server_->stop();
  EXPECT_EQ(modeOf(options_.unix_path), mode_t{0});
  EXPECT_FALSE(BlockingClient(options_.unix_path).connected());
}

TEST_F(UnixServerTest, RemovesItsFileWithoutAStart) {
  { const Server never(options_, service_, metrics_); }
  EXPECT_EQ(modeOf(options_.unix_path), mode_t{0});
}

TEST_F(UnixServerTest, ReplacesAnAbandonedSocket) {
  leaveSocket();
  start();
  EXPECT_EQ(BlockingClient(options_.unix_path).ask(get("/")).status, 200);
}

TEST_F(UnixServerTest, KeepsTheSocketOfARunningServer) {
  start();
  std::unique_ptr<Server> first = std::move(server_);
  EXPECT_EQ(whyNot(), "cannot listen on " + options_.unix_path + ": " +
                          std::generic_category().message(EADDRINUSE));
  EXPECT_EQ(BlockingClient(options_.unix_path).ask(get("/")).status, 200);
}

TEST_F(UnixServerTest, KeepsAFileThatIsNotASocket) {
  std::ofstream(options_.unix_path) << "precious";
  EXPECT_EQ(whyNot(), "cannot listen on " + options_.unix_path + ": " +
                          std::generic_category().message(EADDRINUSE));
  EXPECT_TRUE(S_ISREG(modeOf(options_.unix_path)));
}

TEST_F(UnixServerTest, ReportsAPathThatIsTooLong) {
  options_.unix_path = folder_ + "/" + std::string(108, 'x');
  EXPECT_EQ(whyNot(), "cannot listen on " + options_.unix_path +
                          ": the path of a Unix socket has at most 107 bytes");
}

TEST_F(UnixServerTest, ReportsAMissingFolder) {
  options_.unix_path = folder_ + "/none/s";
  EXPECT_EQ(whyNot(), "cannot listen on " + options_.unix_path + ": " +
                          std::generic_category().message(ENOENT));
}

}  // namespace
}  // namespace spindle::http
