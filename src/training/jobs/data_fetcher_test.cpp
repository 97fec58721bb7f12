#include "training/jobs/data_fetcher.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "http/client/client.h"
#include "http/testing/scripted_server.h"
#include "storage/blobs/folder_blob_store.h"
#include "storage/testing/postgres_for_test.h"
#include "training/data/training_file_store.h"

namespace spindle::training {
namespace {

using http::okResponse;
using http::ScriptedServer;
using Peer = ScriptedServer::Peer;

const std::string two_lines = "{\"messages\":[]}\n{\"messages\":[]}\n";

class FetchedData : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_.path() + "/data/deep"); }

  Result<JobData> fetch(const std::string& url,
                        const http::EgressOptions& targets = {.allow_private = true}) {
    const DataFetcher fetcher(client_, http::EgressPolicy(targets), files_, options_);
    return fetcher.fetch(url);
  }
  /// Returns the fetched data, or the error message.
  std::string outcome(const std::string& url,
                      const http::EgressOptions& targets = {.allow_private = true}) {
    const Result<JobData> data = fetch(url, targets);
    if (!data) {
      EXPECT_EQ(data.error().code(), ErrorCode::kInvalidArgument) << data.error().message();
      return data.error().message();
    }
    EXPECT_EQ(data->url, url);
    Result<registry::BlobContent> content = files_.open(*data->blob);
    EXPECT_TRUE(content);
    EXPECT_EQ(content->size(), static_cast<std::uint64_t>(data->size));
    return *content->read(0, 1 << 20);
  }
  void write(const std::string& path, const std::string& text) {
    std::ofstream(folder_.path() + "/" + path) << text;
  }
  std::string fileUrl(const std::string& path) { return "file://" + folder_.path() + "/" + path; }

  storage::FolderForTest folder_;
  storage::FolderBlobStore blobs_{folder_.path() + "/blobs"};
  TrainingFileStore files_{blobs_};
  http::Client client_{http::ClientOptions()};
  DataFetchOptions options_{1000, folder_.path() + "/data"};
};

TEST_F(FetchedData, HasSupportedUrlSchemes) {
  for (const char* url : {"http://h/x", "https://h/x", "file:///x"}) {
    EXPECT_TRUE(DataFetcher::isFor(url)) << url;
  }
  for (const char* url : {"svc-artifact:///a/b/c:v0", "ftp://h/x", "a/b/c:v0", ""}) {
    EXPECT_FALSE(DataFetcher::isFor(url)) << url;
  }
}

TEST_F(FetchedData, IsStoredUnchanged) {
  std::string request;
  ScriptedServer server([&](Peer& peer) {
    request = peer.readRequest();
    peer.send(okResponse(two_lines));
  });
  EXPECT_EQ(outcome(server.url("/data.jsonl?signature=x")), two_lines);
  EXPECT_TRUE(request.starts_with("GET /data.jsonl?signature=x HTTP/1.1\r\n")) << request;
  EXPECT_EQ(request.find("Authorization"), std::string::npos);
}

TEST_F(FetchedData, MayExceedTheBuffer) {
  options_.largest = 32UL << 20;
  const std::string line = "{\"x\":\"" + std::string(8UL << 20, 'x') + "\"}\n";
  ScriptedServer server(http::respondingWith(okResponse(line)));
  const Result<JobData> data = fetch(server.url());
  ASSERT_TRUE(data);
  EXPECT_EQ(data->size, static_cast<std::int64_t>(line.size()));
}

TEST_F(FetchedData, FollowsRedirects) {
  ScriptedServer target(http::respondingWith(okResponse(two_lines)));
  const std::string there = "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ";
  ScriptedServer server([&](Peer& peer) {
    const std::string request = peer.readRequest();
    if (request.starts_with("GET /first ")) {
      peer.send(there + "/second\r\n\r\n");
    } else if (request.starts_with("GET /second ")) {
      peer.send(there + target.url("/x") + "\r\n\r\n");
    } else {
      peer.send(there + "/round\r\n\r\n");
    }
  });
  EXPECT_EQ(outcome(server.url("/first")), two_lines);
  EXPECT_EQ(outcome(server.url("/round")),
            "training_data_url cannot be read: it has too many redirects.");
}

TEST_F(FetchedData, RejectsForbiddenAddresses) {
  ScriptedServer server(http::respondingWith(okResponse(two_lines)));
  EXPECT_EQ(outcome(server.url(), {}),
            "training_data_url cannot be read: The scheme must be https.");
  EXPECT_EQ(outcome("https://127.0.0.1:8443/x", {}),
            "training_data_url cannot be read: The address is not allowed.");
  EXPECT_EQ(outcome("http://169.254.169.254/latest/meta-data"),
            "training_data_url cannot be read: The address is not allowed.");
  EXPECT_EQ(server.connections(), 0);
  // A host name that resolves to such an address, and a redirect there, are refused too.
  http::ClientOptions options;
  options.look_up = [](const std::string&) { return std::vector<std::string>{"169.254.169.254"}; };
  http::Client turning(options);
  const DataFetcher fetcher(turning, http::EgressPolicy({.allow_private = true}), files_, options_);
  const Result<JobData> turned = fetcher.fetch("http://data.example.com/x");
  ASSERT_FALSE(turned);
  EXPECT_TRUE(turned.error().message().starts_with(
      "training_data_url cannot be read: the address of data.example.com is not allowed."))
      << turned.error().message();
  ScriptedServer leading(http::respondingWith(
      "HTTP/1.1 307 Go\r\nContent-Length: 0\r\nLocation: http://169.254.169.254/\r\n\r\n"));
  EXPECT_EQ(outcome(leading.url()),
            "training_data_url cannot be read: The address is not allowed.");
}

TEST_F(FetchedData, RejectsWithReason) {
  ScriptedServer missing(http::respondingWith("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"));
  EXPECT_EQ(outcome(missing.url()),
            "training_data_url cannot be read: 127.0.0.1 answered 404. The URL must work without "
            "credentials.");
  ScriptedServer page(http::respondingWith(okResponse("<html></html>")));
  EXPECT_TRUE(outcome(page.url())
                  .starts_with("training_data_url cannot be read: it contains no lines of JSON."));
  ScriptedServer nothing(http::respondingWith(okResponse("")));
  EXPECT_TRUE(outcome(nothing.url())
                  .starts_with("training_data_url cannot be read: it contains no lines of JSON."));
  ScriptedServer broken([](Peer& peer) {
    peer.readRequest();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}\n");
  });
  EXPECT_EQ(outcome(broken.url()),
            "training_data_url cannot be read: 127.0.0.1 could not be reached, or broke off. Try "
            "again.");
  EXPECT_EQ(outcome("http://user:secret@127.0.0.1/x"),
            "training_data_url cannot be read: The URL must not contain a user name or password.");
}

TEST_F(FetchedData, HasALimit) {
  const std::string most = "{" + std::string(998, ' ') + "}";
  ScriptedServer server(http::respondingWith(okResponse(most)));
  EXPECT_EQ(outcome(server.url()), most);
  const std::string why =
      "training_data_url cannot be read: it is larger than 1000 bytes, which "
      "training.fetch_limit allows. Put it into an artifact instead.";
  ScriptedServer larger(http::respondingWith(okResponse(most + "\n")));
  EXPECT_EQ(outcome(larger.url()), why);
  write("data/large.jsonl", most + "\n");
  EXPECT_EQ(outcome(fileUrl("data/large.jsonl")), why);
}

TEST_F(FetchedData, IsReadBelowTheFolderOfTheSettings) {
  write("data/deep/x y.jsonl", two_lines);
  EXPECT_EQ(outcome(fileUrl("data/deep/x%20y.jsonl")), two_lines);
  EXPECT_EQ(outcome(fileUrl("data/deep/../deep/x%20y.jsonl")), two_lines);
}

TEST_F(FetchedData, RejectsFilesOutsideTheFolder) {
  write("secret.jsonl", two_lines);
  write("data-too.jsonl", two_lines);
  std::filesystem::create_symlink(folder_.path() + "/secret.jsonl",
                                  folder_.path() + "/data/link.jsonl");
  std::filesystem::create_directory_symlink(folder_.path(), folder_.path() + "/data/up");
  for (const char* path : {"secret.jsonl", "data-too.jsonl", "data/../secret.jsonl",
                           "data/%2e%2e/secret.jsonl", "data/link.jsonl", "data/up/secret.jsonl",
                           "data/none.jsonl", "data", "data/deep", "data/x%00.jsonl"}) {
    EXPECT_EQ(outcome(fileUrl(path)), "training_data_url cannot be read: there is no file " +
                                          fileUrl(path) +
                                          " below the folder that training.data_folder names.")
        << path;
  }
  EXPECT_NE(outcome("file://host/x").find("there is no file"), std::string::npos);
  EXPECT_NE(outcome("file:///dev/zero").find("there is no file"), std::string::npos);
  options_.folder.clear();
  EXPECT_EQ(outcome(fileUrl("data/x.jsonl")),
            "training_data_url cannot be read: file URLs are disabled. Put the file into an "
            "artifact, or set training.data_folder.");
}

}  // namespace
}  // namespace spindle::training
