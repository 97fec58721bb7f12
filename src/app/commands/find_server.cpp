#include "app/commands/find_server.h"

#include <filesystem>
#include <optional>
#include <stdexcept>

#include "app/cli/given_file.h"
#include "storage/folder/data_folder.h"

namespace spindle::app {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

Secret givenKey(const Secret& key) {
  const std::string text(key.reveal());
  if (!text.starts_with('@')) return key;
  return Secret(trimmed(fileText(text.substr(1))));
}

Secret adminKey(const config::Settings& settings, const storage::DataFolder& folder) {
  if (!settings.auth.admin_api_key.empty()) return settings.auth.admin_api_key;
  const std::optional<std::string> kept = folder.read("admin-api-key");
  return Secret(kept ? trimmed(*kept) : std::string());
}

std::string withoutSlash(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

}  // namespace

transfer::ServerAddress findServer(const config::Settings& settings, const ServerFlags& choice) {
  transfer::ServerAddress address;
  const std::string data_dir = settings.storage.data_dir.string();
  std::string running;
  Secret own_key;
  // Must not create the data folder.
  if (std::error_code ignored; std::filesystem::is_directory(data_dir, ignored)) {
    const storage::DataFolder folder(data_dir);
    const std::optional<storage::FolderHolder> holder = storage::DataFolderLock::holder(folder);
    if (holder) running = holder->url;
    if (!running.empty()) own_key = adminKey(settings, folder);
  }
  address.url = choice.url ? withoutSlash(*choice.url) : running;
  if (address.url.empty()) {
    throw std::runtime_error("no server runs on the data folder " + data_dir +
                             ": start one with `spindle serve`, or set --url and --key");
  }
  address.key = givenKey(choice.key);
  if (address.url == running) {
    address.ca_file = settings.server.tls_certificate.string();  // it may be self-signed
    if (address.key.empty()) address.key = own_key;
  }
  if (address.key.empty())
    throw std::runtime_error("no API key for " + address.url + ": set --key");
  return address;
}

}  // namespace spindle::app
