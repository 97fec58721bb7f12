#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "transfer/call_api_client.h"
#include "transfer/progress.h"

namespace spindle::transfer {

/// A temporary folder. The destructor deletes it.
class FolderForTest {
 public:
  explicit FolderForTest(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              ("transfer_" + name + "." + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~FolderForTest() { std::filesystem::remove_all(path_); }
  FolderForTest(const FolderForTest&) = delete;
  FolderForTest& operator=(const FolderForTest&) = delete;

  std::string at(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }
  void put(const std::string& name, const std::string& content) const {
    std::ofstream(at(name), std::ios::binary) << content;
  }
  std::string get(const std::string& name) const {
    std::ifstream file(at(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  bool has(const std::string& name) const { return std::filesystem::exists(at(name)); }

 private:
  const std::filesystem::path path_;
};

struct RecordedRequest {
  std::string path;
  std::string body;
};

/// Fake that responds with the result of a function and records the requests.
class FakeCallApiClient final : public CallApiClient {
 public:
  std::function<Result<ApiResponse>(const RecordedRequest&)> response;
  std::vector<RecordedRequest> asked;

  Result<ApiResponse> post(const std::string& path, std::string body) override {
    asked.push_back({path, std::move(body)});
    return response(asked.back());
  }
  Result<ApiResponse> stream(const std::string& path, std::string body, const Take& take) override {
    Result<ApiResponse> whole = post(path, std::move(body));
    if (!whole || !whole->ok()) return whole;
    // In two chunks, so that a line is split.
    const std::string bytes = std::exchange(whole->body, std::string());
    for (const std::string& piece :
         {bytes.substr(0, bytes.size() / 3), bytes.substr(bytes.size() / 3)}) {
      if (piece.empty()) continue;
      TRY(take(piece));
    }
    return whole;
  }
};

struct FakeProgress final : Progress {
  void begin(std::int64_t done, std::optional<std::int64_t> total) override {
    begun_at = done;
    whole = total;
  }
  void update(std::int64_t done) override { reached = done; }
  void printLine(std::string_view line) override { lines.emplace_back(line); }

  std::int64_t begun_at = -1;
  std::optional<std::int64_t> whole;
  std::int64_t reached = 0;
  std::vector<std::string> lines;
};

/// A fixture with a folder and a fake server.
class TransferTest : public testing::Test {
 protected:
  explicit TransferTest(const std::string& folder) : folder_(folder) {}

  /// Returns the lines of the numbers from `first` until before `last`.
  template <class LineOf>
  static std::string joined(int first, int last, LineOf line_of) {
    std::string lines;
    for (int i = first; i < last; ++i) lines += line_of(i);
    return lines;
  }
  template <class Outcome>
  static std::string messageOf(const Result<Outcome>& outcome) {
    return outcome ? "(done)" : outcome.error().message();
  }

  FolderForTest folder_;
  FakeCallApiClient server_;
  FakeProgress progress_;
};

}  // namespace spindle::transfer
