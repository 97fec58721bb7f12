#include "http/router/documented_statuses.h"

#include <gtest/gtest.h>

namespace spindle::http {
namespace {

void describeNothing(json::Writer& /*out*/, schema::Components& /*components*/) {}

Route routeWith(Method method, std::string path, ErrorShape errors) {
  Route route;
  route.method = method;
  route.path = std::move(path);
  route.policy.errors = errors;
  return route;
}

TEST(DocumentedStatuses, OpenRouteWithoutParametersNeedsNoCredential) {
  Route route = routeWith(Method::kGet, "/health", ErrorShape::kDetail);
  route.policy.credentials = Credentials::kOpen;
  EXPECT_EQ(documentedStatuses(route), (std::set<int>{200, 422, 500, 503}));
}

TEST(DocumentedStatuses, CredentialAddsAuthenticationPermissionAndRate) {
  const Route route = routeWith(Method::kGet, "/api/v1/me", ErrorShape::kDetailWithCode);
  EXPECT_EQ(documentedStatuses(route), (std::set<int>{200, 401, 403, 422, 429, 500, 503, 504}));
}

TEST(DocumentedStatuses, PathParameterNamesAResource) {
  const Route management = routeWith(Method::kGet, "/teams/{team}", ErrorShape::kDetailWithCode);
  EXPECT_TRUE(documentedStatuses(management).contains(404));
  EXPECT_FALSE(documentedStatuses(management).contains(400));
  const Route tracing = routeWith(Method::kGet, "/queues/{id}", ErrorShape::kReason);
  EXPECT_TRUE(documentedStatuses(tracing).contains(400));
  EXPECT_TRUE(documentedStatuses(tracing).contains(502));
}

TEST(DocumentedStatuses, BodyCanBeSlowLargeOrOfAnotherType) {
  Route route = routeWith(Method::kPost, "/teams", ErrorShape::kDetailWithCode);
  route.success_status = 201;
  route.describe_body = describeNothing;
  EXPECT_EQ(documentedStatuses(route), (std::set<int>{201, 400, 401, 403, 404, 408, 409, 413, 415,
                                                      422, 429, 500, 503, 504, 507}));
}

TEST(DocumentedStatuses, RouteDocumentationAddsStatuses) {
  Route route = routeWith(Method::kGet, "/files/{id}", ErrorShape::kDetailWithCode);
  route.facts.content = true;
  route.facts.if_match = true;
  route.facts.statuses = {302, 502};
  const std::set<int> statuses = documentedStatuses(route);
  for (const int status : {206, 302, 412, 416, 502}) EXPECT_TRUE(statuses.contains(status));
}

}  // namespace
}  // namespace spindle::http
