#include "app/commands/find_server.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <gtest/gtest.h>
#include <unistd.h>

#include "storage/folder/data_folder.h"

namespace spindle::app {
namespace {

constexpr const char* kUrl = "http://127.0.0.1:4711";

/// Fixture with the settings of a data folder that a server may use.
class FindServer : public testing::Test {
 public:
  ~FindServer() override { std::filesystem::remove_all(path_); }

 protected:
  FindServer()
      : path_(std::filesystem::temp_directory_path() /
              ("find_server." + std::to_string(::getpid()))) {
    settings_.storage.data_dir = path_;
  }

  storage::DataFolderLock running() {
    return storage::DataFolderLock(storage::DataFolder(path_.string()));
  }
  void put(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name) << content;
  }
  std::string refusal(const ServerFlags& choice) const {
    try {
      findServer(settings_, choice);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "(found)";
  }

  std::filesystem::path path_;
  config::Settings settings_;
};

TEST_F(FindServer, UsesTheServerAndKeyOfTheDataFolder) {
  storage::DataFolderLock lock = running();
  lock.announce(kUrl);
  put("admin-api-key", "spk_kept\n");
  settings_.server.tls_certificate = "cert.pem";
  const transfer::ServerAddress found = findServer(settings_, {});
  EXPECT_EQ(found.url, kUrl);
  EXPECT_EQ(found.key.reveal(), "spk_kept");
  EXPECT_EQ(found.ca_file, "cert.pem");
  settings_.auth.admin_api_key = Secret("spk_given");
  EXPECT_EQ(findServer(settings_, {}).key.reveal(), "spk_given");
  EXPECT_EQ(findServer(settings_, {std::nullopt, Secret("mine")}).key.reveal(), "mine");
}

TEST_F(FindServer, AdvisesWhenNoServerRuns) {
  EXPECT_NE(refusal({}).find("no server runs on the data folder"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path_)) << "looking made a folder";
  storage::DataFolder folder(path_.string());
  put("admin-api-key", "spk_kept\n");
  EXPECT_NE(refusal({}).find("start one with `spindle serve`"), std::string::npos);
}

TEST_F(FindServer, SendsItsKeyToNoOtherServer) {
  storage::DataFolderLock lock = running();
  lock.announce(kUrl);
  put("admin-api-key", "spk_kept\n");
  settings_.server.tls_certificate = "cert.pem";
  EXPECT_EQ(refusal({"http://elsewhere", Secret()}), "no API key for http://elsewhere: set --key");
  const transfer::ServerAddress other = findServer(settings_, {"http://elsewhere/", Secret("k")});
  EXPECT_EQ(other.url, "http://elsewhere");
  EXPECT_EQ(other.key.reveal(), "k");
  EXPECT_EQ(other.ca_file, "");
  EXPECT_EQ(findServer(settings_, {std::string(kUrl) + "/", Secret()}).key.reveal(), "spk_kept");
}

TEST_F(FindServer, ReadsAKeyFromAFile) {
  storage::DataFolder folder(path_.string());
  put("key", " spk_file \n");
  const ServerFlags choice{kUrl, Secret("@" + (path_ / "key").string())};
  EXPECT_EQ(findServer(settings_, choice).key.reveal(), "spk_file");
  EXPECT_NE(refusal({kUrl, Secret("@" + (path_ / "none").string())}).find("cannot be read"),
            std::string::npos);
}

}  // namespace
}  // namespace spindle::app
