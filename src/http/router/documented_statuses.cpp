#include "http/router/documented_statuses.h"

namespace spindle::http {

std::set<int> documentedStatuses(const Route& route) {
  const bool authenticated = route.policy.credentials != Credentials::kOpen;
  const bool has_body = route.describe_body != nullptr;
  const bool has_path_parameters = route.path.find('{') != std::string::npos;
  const bool writes = route.method != Method::kGet;
  const bool management = route.policy.errors == ErrorShape::kDetailWithCode;

  // An undecodable target or value, an internal error, an overload: possible on every route.
  std::set<int> statuses = {route.success_status, 422, 500, 503};
  statuses.insert(route.facts.statuses.begin(), route.facts.statuses.end());
  statuses.insert(route.facts.reply_statuses.begin(), route.facts.reply_statuses.end());
  // A query of the columnar store that takes too long is cancelled (504).
  if (authenticated) statuses.insert({401, 403, 429, 504});
  // A request that another site may have caused.
  if (writes) statuses.insert(403);
  // Damaged stored content cannot be served.
  if (route.policy.errors == ErrorShape::kReason) statuses.insert(502);
  // The resource in the path, or the project or resource that the query or the body names.
  const bool names_resource =
      has_path_parameters || (authenticated && (has_body || route.describe_parameters));
  if (names_resource) statuses.insert(404);
  // errorResponse() reports a violated domain rule as a 422 in the management API.
  if (has_body || (names_resource && !management)) statuses.insert(400);
  if (has_body) statuses.insert({408, 413, 415});
  if (writes && authenticated) statuses.insert({409, 507});
  if (route.facts.if_match) statuses.insert(412);
  if (route.facts.content) statuses.insert({206, 416});
  return statuses;
}

}  // namespace spindle::http
