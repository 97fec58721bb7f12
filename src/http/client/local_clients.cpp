#include "http/client/local_clients.h"

#include <utility>

namespace spindle::http {
namespace {

/// The client of a thread and its owner.
struct ThreadClient {
  const LocalClients* owner = nullptr;
  Client* client = nullptr;
};

thread_local ThreadClient thread_client;

}  // namespace

LocalClients::LocalClients(ClientOptions options)
    : options_(std::move(options)), shared_(options_) {}

Client& LocalClients::current() {
  return thread_client.owner == this ? *thread_client.client : shared_;
}

void LocalClients::attach(IoThread& thread) {
  auto client = std::make_unique<Client>(options_, thread);
  thread_client = {this, client.get()};
  const MutexLock lock(mutex_);
  clients_.push_back(std::move(client));
}

void LocalClients::detach() {
  if (thread_client.owner != this) return;
  thread_client.client->detach();
  thread_client = {};
}

void LocalClients::clear() {
  std::vector<std::unique_ptr<Client>> gone;
  const MutexLock lock(mutex_);
  gone.swap(clients_);
}

}  // namespace spindle::http
