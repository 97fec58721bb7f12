#include "http/router/resource.h"

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "schema/scalar.h"

namespace spindle::http {
namespace {

struct Card {
  std::string text;
  std::int64_t version = 1;
};
struct CardView {
  CardView() = default;
  explicit CardView(const Card& card) : text(card.text) {}
  std::string text;
};
struct CardPage {
  std::vector<Card> items;
  std::optional<std::string> next;
};
struct CardPath {
  std::string name;
  bool force = false;
};
struct CardServices {
  std::map<std::string, Card>& cards;
};

schema::Codec<CardView> cardCodec() {
  return schema::Record<CardView>("Card")
      .required("text", &CardView::text, schema::string({.min_length = 1}), "Text.")
      .codec();
}

Parameters<CardPath> cardPath() {
  Parameters<CardPath> parameters;
  parameters.path("name", &CardPath::name, schema::string(), "Name.");
  return parameters;
}

Result<Card> findCard(const CardServices& services, const CardPath& path) {
  const auto found = services.cards.find(path.name);
  if (found == services.cards.end()) return Error::notFound("Card not found");
  return found->second;
}

Result<CardPage> listCards(const CardServices& services, const PageQuery& query) {
  const std::string after = TRY(decodeCursor(query.cursor));
  CardPage page;
  for (const auto& [name, card] : services.cards) {
    if (name <= after) continue;
    page.items.push_back(card);
    if (page.items.size() == static_cast<std::size_t>(query.limit)) {
      page.next = name;
      break;
    }
  }
  return page;
}

Result<Card> createCard(const CardServices& services, const CardView& body) {
  return services.cards[body.text] = Card{body.text};
}

Result<Card> createNamedCard(const CardServices& services,
                             const CardPath& path,
                             const CardView& body) {
  return services.cards[path.name] = Card{body.text};
}

Result<Card> changeCard(const CardServices& services,
                        const Context& context,
                        const CardPath& path,
                        const CardView& body) {
  Card card = TRY(findCard(services, path));
  const std::optional<std::int64_t> version = TRY(expectedVersion(context.request.headers));
  if (version && *version != card.version) {
    return Error(ErrorCode::kPreconditionFailed, "Another version.");
  }
  return services.cards[path.name] = Card{body.text, card.version + 1};
}

Result<void> removeCard(const CardServices& services, const CardPath& path) {
  TRY(findCard(services, path));
  if (!path.force) return Error::conflict("Not without force.");
  services.cards.erase(path.name);
  return {};
}

class ResourceTest : public ::testing::Test {
 protected:
  ResourceTest() {
    RoutePolicy policy;
    policy.credentials = Credentials::kOpen;
    policy.errors = ErrorShape::kDetail;
    const RouteGroup routes(router_, CardServices{cards_}, policy, "cards");
    const Resource cards(routes, {"/cards", "/cards/{name}"}, cardPath(), cardCodec(),
                         &Card::version);
    cards.create({"createCard", "Add a card"}, cardCodec(), createCard);
    cards.list({"listCards", "List cards"}, "CardPage", pageParameters<PageQuery>(), listCards);
    cards.show({"getCard", "Show a card", "By name."}, findCard);
    cards.change({"changeCard", "Change a card"}, cardCodec(), changeCard);
    cards.remove({"deleteCard", "Remove a card"},
                 cardPath().query("force", &CardPath::force, schema::boolean(), "Force."),
                 removeCard);
    const Resource parts(routes, {"/cards/{name}/parts", "/cards/{name}/part"}, cardPath(),
                         cardCodec(), &Card::version);
    parts.create({"createPart", "Add a part"}, cardPath(), cardCodec(), createNamedCard);
    parts.remove({"deletePart", "Remove a part"}, removeCard);
  }

  Response send(Method method, std::string target, std::string body = "") {
    Request request;
    request.method = method;
    request.target = std::move(target);
    request.body = std::move(body);
    request.headers = headers_;
    return router_.handle(request);
  }
  const Route& route(std::string_view id) const {
    for (const auto& each : router_.routes()) {
      if (each->operation_id == id) return *each;
    }
    throw std::out_of_range(std::string(id));
  }

  std::map<std::string, Card> cards_{{"a", {"one"}}, {"b", {"two", 7}}};
  Router router_{RouterPorts{}};
  Headers headers_;
};

TEST_F(ResourceTest, RepliesWithAnItemHaveItsVersionAsTheEtag) {
  const Response shown = send(Method::kGet, "/cards/b");
  EXPECT_EQ(shown.status, 200);
  EXPECT_EQ(shown.body, R"({"text":"two"})");
  EXPECT_EQ(shown.headers.get("ETag"), "\"7\"");
  const Response changed = send(Method::kPatch, "/cards/b", R"({"text":"new"})");
  EXPECT_EQ(changed.status, 200);
  EXPECT_EQ(changed.headers.get("ETag"), "\"8\"");
  const Response created = send(Method::kPost, "/cards", R"({"text":"c"})");
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(created.body, R"({"text":"c"})");
  EXPECT_EQ(created.headers.get("ETag"), "\"1\"");
}

TEST_F(ResourceTest, ItemsOfAnItemAreCreatedBelowIt) {
  const Response created = send(Method::kPost, "/cards/d/parts", R"({"text":"four"})");
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(cards_.at("d").text, "four");
}

TEST_F(ResourceTest, HandlersCheckIfMatch) {
  headers_.add("If-Match", "\"6\"");
  EXPECT_EQ(send(Method::kPatch, "/cards/b", R"({"text":"new"})").status, 412);
}

TEST_F(ResourceTest, ListsHaveACursor) {
  const Response first = send(Method::kGet, "/cards?limit=1");
  const std::string cursor = encodeCursor("a");
  EXPECT_EQ(first.body, R"({"items":[{"text":"one"}],"next_cursor":")" + cursor + "\"}");
  EXPECT_EQ(first.headers.find("ETag"), nullptr);
  const Response second = send(Method::kGet, "/cards?cursor=" + cursor);
  EXPECT_EQ(second.body, R"({"items":[{"text":"two"}],"next_cursor":null})");
}

TEST_F(ResourceTest, RemovalsHaveNoBody) {
  EXPECT_EQ(send(Method::kDelete, "/cards/a").status, 409);
  EXPECT_EQ(send(Method::kDelete, "/cards/a?force=true").status, 204);
  EXPECT_EQ(send(Method::kDelete, "/cards/a?force=true").status, 404);
  EXPECT_EQ(send(Method::kDelete, "/cards/b/part").status, 409);
}

TEST_F(ResourceTest, RoutesDocumentEtagAndIfMatch) {
  EXPECT_EQ(route("createCard").success_status, 201);
  EXPECT_EQ(route("deleteCard").success_status, 204);
  EXPECT_EQ(route("getCard").description, "By name.");
  for (const std::string_view id : {"createCard", "getCard", "changeCard"}) {
    EXPECT_TRUE(route(id).facts.etag) << id;
  }
  for (const std::string_view id : {"changeCard", "deleteCard", "deletePart"}) {
    EXPECT_TRUE(route(id).facts.if_match) << id;
  }
  EXPECT_FALSE(route("listCards").facts.etag);
}

}  // namespace
}  // namespace spindle::http
