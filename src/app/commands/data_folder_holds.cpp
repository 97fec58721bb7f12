#include "app/commands/data_folder_holds.h"

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "app/commands/management_client.h"
#include "backup/data_layout.h"

namespace spindle::app {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kBetweenRenewals{15};
/// The flush and checkpoint of a busy store can take minutes.
constexpr std::chrono::minutes kBeginTimeout{5};

class ServerDataHold final : public backup::DataFolderHold {
 public:
  explicit ServerDataHold(transfer::ServerAddress address)
      : caller_(address), renewals_(std::move(address)) {}
  ~ServerDataHold() override { stopRenewing(); }

  void begin() override {
    caller_.setTimeout(kBeginTimeout);
    const json::Document hold = caller_.ask(http::Method::kPost, "/backup/holds");
    caller_.setTimeout(std::chrono::seconds(30));
    path_ = "/backup/holds/" + memberText(hold.root(), "id");
    renewer_ = std::jthread([this](const std::stop_token& stop) { renew(stop); });
  }

  std::vector<columnar::HeldFile> mark() override {
    const json::Document answer = caller_.ask(http::Method::kPost, path_ + "/mark");
    const std::optional<json::Node> files = answer.root().find("files");
    if (!files || !files->isArray())
      throw std::runtime_error("the server's response lists no files");
    std::vector<columnar::HeldFile> held;
    for (const json::Node file : *files) {
      const std::optional<json::Node> bytes = file.find("bytes");
      const std::string name = memberText(file, "name");
      if (!bytes || !bytes->integer() || !backup::isPlainPath(name)) {
        throw std::runtime_error("the server's response is invalid");
      }
      held.push_back({name, static_cast<std::uint64_t>(*bytes->integer())});
    }
    return held;
  }

  void end() override {
    stopRenewing();
    if (path_.empty()) return;
    caller_.ask(http::Method::kDelete, std::exchange(path_, {}));
  }

  bool online() const override { return true; }

 private:
  void stopRenewing() {
    if (!renewer_.joinable()) return;
    renewer_.request_stop();
    renewer_.join();
  }

  void renew(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    const std::string path = path_ + "/renew";
    while (!changed.wait_for(lock, stop, kBetweenRenewals,
                             [&stop] { return stop.stop_requested(); })) {
      if (stop.stop_requested()) return;
      try {
        renewals_.ask(http::Method::kPost, path);
      } catch (const std::runtime_error&) {
        continue;  // end() reports whether the hold was active all the time
      }
    }
  }

  ManagementClient caller_;
  ManagementClient renewals_;
  std::string path_;
  std::jthread renewer_;
};

class StoppedDataHold final : public backup::DataFolderHold {
 public:
  explicit StoppedDataHold(const storage::DataFolder& folder) : folder_(folder), lock_(folder) {}

  void begin() override {}

  std::vector<columnar::HeldFile> mark() override {
    std::vector<columnar::HeldFile> files;
    std::error_code problem;
    for (fs::directory_iterator entry(folder_.fileAt(backup::kTracesFolder), problem), end;
         !problem && entry != end; entry.increment(problem)) {
      if (!entry->is_regular_file() || entry->path().extension() == ".new") continue;
      files.push_back({entry->path().filename().string(), entry->file_size()});
    }
    return files;
  }

  void end() override {}
  bool online() const override { return false; }

 private:
  const storage::DataFolder folder_;
  const storage::DataFolderLock lock_;
};

}  // namespace

std::unique_ptr<backup::DataFolderHold> holdOfServer(transfer::ServerAddress address) {
  return std::make_unique<ServerDataHold>(std::move(address));
}

std::unique_ptr<backup::DataFolderHold> holdOfStoppedFolder(const storage::DataFolder& folder) {
  return std::make_unique<StoppedDataHold>(folder);
}

}  // namespace spindle::app
