#include "http/local_clients.h"

#include <utility>

namespace spindle::http {
namespace {

/// The client of a thread and its owner.
struct Place {
  const LocalClients* owner = nullptr;
  Client* client = nullptr;
};

thread_local Place place;

}  // namespace

LocalClients::LocalClients(ClientOptions options)
    : options_(std::move(options)), elsewhere_(options_) {}

LocalClients::~LocalClients() = default;

Client& LocalClients::here() { return place.owner == this ? *place.client : elsewhere_; }

void LocalClients::arrive(IoThread& thread) {
  auto client = std::make_unique<Client>(options_, thread);
  place = {this, client.get()};
  const MutexLock lock(mutex_);
  clients_.push_back(std::move(client));
}

void LocalClients::leave() {
  if (place.owner != this) return;
  place.client->leave();
  place = {};
}

void LocalClients::clear() {
  std::vector<std::unique_ptr<Client>> gone;
  const MutexLock lock(mutex_);
  gone.swap(clients_);
}

}  // namespace spindle::http
