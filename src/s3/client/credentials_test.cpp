#include "s3/client/credentials.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "base/core/folder_for_test.h"

namespace spindle::s3 {
namespace {

CredentialSource::Environment environmentOf(const std::map<std::string, std::string>& values) {
  return [&values](const char* name) -> const char* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  };
}

TEST(Credentials, AreReadFromAFile) {
  const Result<Credentials> credentials = parseCredentials(
      "# comment\n[other]\naws_access_key_id = no\n[default]\r\naws_access_key_id=AK\r\n"
      "aws_secret_access_key = se=cret \naws_session_token=tok\n[more]\naws_session_token=no\n");
  ASSERT_TRUE(credentials);
  EXPECT_EQ(credentials->access_key_id, "AK");
  EXPECT_EQ(credentials->secret_access_key.reveal(), "se=cret");
  EXPECT_EQ(credentials->session_token.reveal(), "tok");
}

TEST(Credentials, OfAFileNeedBothKeys) {
  for (const std::string text :
       {"", "aws_access_key_id=AK", "[x]\naws_access_key_id=AK\naws_secret_access_key=hidden"}) {
    const Result<Credentials> credentials = parseCredentials(text);
    ASSERT_FALSE(credentials);
    EXPECT_EQ(credentials.error().reason(), "s3_no_credentials");
    EXPECT_EQ(credentials.error().message().find("hidden"), std::string::npos);
  }
}

TEST(Credentials, AreReadFromTheEnvironment) {
  std::map<std::string, std::string> values = {{"AWS_ACCESS_KEY_ID", "AK"}};
  EXPECT_FALSE(CredentialSource("", environmentOf(values)).current());
  values["AWS_SECRET_ACCESS_KEY"] = "secret";
  const Result<Credentials> credentials = CredentialSource("", environmentOf(values)).current();
  ASSERT_TRUE(credentials);
  EXPECT_EQ(credentials->secret_access_key.reveal(), "secret");
  EXPECT_TRUE(credentials->session_token.empty());
}

TEST(Credentials, AreReadAgainAfterTheFileChanged) {
  const FolderForTest folder;
  const std::string path = folder.path() + "/credentials";
  CredentialSource source(path);
  EXPECT_FALSE(source.current());
  std::ofstream(path) << "aws_access_key_id=first\naws_secret_access_key=1\n";
  EXPECT_EQ(source.current()->access_key_id, "first");
  std::ofstream(path) << "aws_access_key_id=second\naws_secret_access_key=2\n";
  std::filesystem::last_write_time(
      path, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
  EXPECT_EQ(source.current()->access_key_id, "second");
}

}  // namespace
}  // namespace spindle::s3
