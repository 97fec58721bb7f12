#pragma once

#include <string>
#include <vector>

#include "http/router/router.h"
#include "identity/access/access.h"
#include "identity/access/authenticator.h"
#include "identity/api/api_key_authenticator.h"
#include "identity/api/database_idempotency_records.h"
#include "identity/store/identity_for_test.h"

namespace spindle::identity {

/// Adds a router that checks API keys to a fixture with the repositories of this area. Tests call
/// routes with it, without a socket. `Fixture` is IdentityTest or derived from it.
template <class Fixture>
class ApiTest : public Fixture {
 protected:
  /// Returns the Authorization header of a new key.
  std::string bearerOf(const User& user) {
    return "Bearer " + std::string(this->key(user, "test").text.reveal());
  }

  /// Creates the team `acme` with an admin and a viewer, and a user outside the team.
  Team addAcme() {
    const User lead = this->person("lead");
    const User viewer = this->person("viewer");
    Team acme = this->team("acme", lead);
    this->join(acme, viewer, TeamRole::kViewer);
    lead_id_ = lead.id;
    lead_ = bearerOf(lead);
    viewer_ = bearerOf(viewer);
    stranger_ = bearerOf(this->person("stranger"));
    return acme;
  }

  http::Response send(http::Method method,
                      const std::string& target,
                      const std::string& bearer,
                      const std::string& body = "") {
    http::Request request;
    request.method = method;
    request.target = base_path_ + target;
    request.body = body;
    request.headers = headers_;
    request.headers.add("Authorization", bearer);
    return router_.handle(request);
  }

  /// Sends a POST with each of these bearers and returns the statuses, separated by spaces.
  std::string statusesOf(const std::string& target,
                         const std::string& body,
                         const std::vector<std::string>& bearers) {
    std::string statuses;
    for (const std::string& bearer : bearers) {
      const http::Response response = send(http::Method::kPost, target, bearer, body);
      statuses += (statuses.empty() ? "" : " ") + std::to_string(response.status);
    }
    return statuses;
  }

  Access access_{this->access_facts_, this->projects_};
  Authenticator authenticator_{this->keys_, this->clock_};
  ApiKeyAuthenticator authentication_{authenticator_};
  IdempotencyStore idempotency_{*this->database_, this->clock_, sha256("seal")};
  DatabaseIdempotencyRecords idempotency_records_{idempotency_};
  http::Router router_{http::RouterPorts{&authentication_, &idempotency_records_, nullptr}};
  std::string base_path_;  ///< before the target of every request
  http::Headers headers_;  ///< of every request
  std::string lead_id_;
  std::string lead_, viewer_, stranger_;  ///< bearers of the users of addAcme()
};

}  // namespace spindle::identity
