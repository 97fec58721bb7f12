#include "s3/client/credentials.h"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <sys/stat.h>

#include "base/core/ascii.h"

namespace spindle::s3 {
namespace {

constexpr std::int64_t kMostBytes = 64L * 1024;

Error noCredentials(std::string_view message) {
  return Error::unavailable(message).because("s3_no_credentials");
}

Result<Credentials> complete(Credentials credentials, const std::string& where) {
  if (credentials.access_key_id.empty()) return noCredentials("there is no access key in " + where);
  if (credentials.secret_access_key.empty()) {
    return noCredentials("there is no secret access key in " + where);
  }
  return credentials;
}

Result<Credentials> fromEnvironment(const CredentialSource::Environment& environment) {
  const auto valueOf = [&](const char* name) {
    const char* const value = environment(name);
    return std::string(value == nullptr ? "" : value);
  };
  Credentials credentials;
  credentials.access_key_id = valueOf("AWS_ACCESS_KEY_ID");
  credentials.secret_access_key = Secret(valueOf("AWS_SECRET_ACCESS_KEY"));
  credentials.session_token = Secret(valueOf("AWS_SESSION_TOKEN"));
  return complete(std::move(credentials),
                  "the environment: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "
                  "files.s3_credentials_file");
}

}  // namespace

Result<Credentials> parseCredentials(std::string_view text) {
  Credentials credentials;
  bool in_section = true;  // also before the first section
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = trimmed(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      in_section = line == "[default]";
      continue;
    }
    const std::size_t equals = line.find('=');
    if (!in_section || equals == std::string_view::npos) continue;
    const std::string_view key = trimmed(line.substr(0, equals));
    const std::string value(trimmed(line.substr(equals + 1)));
    if (key == "aws_access_key_id") credentials.access_key_id = value;
    if (key == "aws_secret_access_key") credentials.secret_access_key = Secret(value);
    if (key == "aws_session_token") credentials.session_token = Secret(value);
  }
  return complete(std::move(credentials),
                  "the section [default] of the credentials file: write aws_access_key_id and "
                  "aws_secret_access_key");
}

CredentialSource::CredentialSource(std::string file)
    : CredentialSource(std::move(file), [](const char* name) {
        return std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing changes the environment
      }) {}

CredentialSource::CredentialSource(std::string file, const Environment& environment)
    : file_(std::move(file)),
      known_(file_.empty() ? fromEnvironment(environment)
                           : Result<Credentials>(noCredentials("not read yet"))) {}

Result<Credentials> CredentialSource::current() {
  const MutexLock lock(mutex_);
  if (file_.empty()) return known_;
  struct stat status {};
  if (::stat(file_.c_str(), &status) != 0) {
    stamp_.reset();
    return noCredentials("cannot read files.s3_credentials_file: " +
                         std::generic_category().message(errno));
  }
  const Stamp stamp{
      status.st_ino, status.st_size,
      static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec};
  if (stamp_ == stamp) return known_;
  stamp_ = stamp;
  known_ = stamp.size > kMostBytes
               ? Result<Credentials>(noCredentials("files.s3_credentials_file is too large"))
               : fromFile();
  return known_;
}

Result<Credentials> CredentialSource::fromFile() {
  std::ifstream file(file_, std::ios::binary);
  if (!file) return noCredentials("cannot read files.s3_credentials_file");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return parseCredentials(text);
}

}  // namespace spindle::s3
