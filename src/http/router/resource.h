#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "http/router/etag.h"
#include "http/router/paging.h"
#include "http/router/route_group.h"

namespace spindle::http {

/// Returns the reply for a page of a repository, which has `items` and `next`, the position of the
/// next page.
template <class View, class Page, class Show>
PageReply<View> pageReply(const Page& page, Show show) {
  PageReply<View> reply;
  reply.items.reserve(page.items.size());
  for (const auto& item : page.items) reply.items.push_back(show(item));
  if (page.next) reply.next_cursor = encodeCursor(*page.next);
  return reply;
}

/// Returns a reply whose ETag is the version of the item that it shows.
template <class View>
Reply<View> versionedReply(View view, std::int64_t version) {
  Reply<View> reply(std::move(view));
  reply.with("ETag", etagOf(version));
  return reply;
}

/// The paths of a resource.
struct ResourcePaths {
  std::string all;
  std::string one;
};

/// Adds the operations of a resource whose items have a version. A reply with an item has its
/// version as the ETag:
///
///     const Resource teams(routes, {"/api/v1/teams", "/api/v1/teams/{team}"}, teamPath(),
///                          teamCodec(), &Team::version);
///     teams.create({"createTeam", "Add a team"}, newTeamCodec(), createTeam);
///     teams.show({"getTeam", "Show a team"}, showTeam);
///     teams.remove({"deleteTeam", "Remove a team"}, deleteTeam);
///
/// Handlers are functions that take the arguments of RouteGroup and return an item, a page of
/// items, or nothing after a removal. Those that change or remove an item call expectedVersion()
/// after they have checked the caller's access. The API shows an item as View(item).
template <class Services, class Path, class View, class Item>
class Resource {
 public:
  Resource(const RouteGroup<Services>& routes,
           ResourcePaths paths,
           Parameters<Path> path,
           schema::Codec<View> view,
           std::int64_t Item::*version)
      : routes_(routes),
        paths_(std::move(paths)),
        path_(std::move(path)),
        view_(std::move(view)),
        version_(version) {}

  template <class Query, class Page, class... Arguments>
  Route& list(const OperationText& text,
              const std::string& page_name,
              const Parameters<Query>& query,
              Result<Page> (*handler)(Arguments...)) const {
    return routes_.get(paths_.all, text, {.params = query, .reply = pageCodec(page_name, view_)},
                       [handler](Arguments... arguments) -> Result<PageReply<View>> {
                         const Page page = TRY(handler(std::forward<Arguments>(arguments)...));
                         return pageReply<View>(page, [](const Item& item) { return View(item); });
                       });
  }
  template <class Body, class... Arguments>
  Route& create(const OperationText& text,
                const schema::Codec<Body>& body,
                Result<Item> (*handler)(Arguments...)) const {
    return routes_.post(paths_.all, text,
                        {.body = body, .reply = view_, .status = 201, .facts = {.etag = true}},
                        withEtag(handler));
  }
  /// For a resource whose items belong to the item of another resource.
  template <class Owner, class Body, class... Arguments>
  Route& create(const OperationText& text,
                const Parameters<Owner>& owner,
                const schema::Codec<Body>& body,
                Result<Item> (*handler)(Arguments...)) const {
    return routes_.post(
        paths_.all, text,
        {.params = owner, .body = body, .reply = view_, .status = 201, .facts = {.etag = true}},
        withEtag(handler));
  }
  template <class... Arguments>
  Route& show(const OperationText& text, Result<Item> (*handler)(Arguments...)) const {
    return routes_.get(paths_.one, text, {.params = path_, .reply = view_, .facts = {.etag = true}},
                       withEtag(handler));
  }
  template <class Change, class... Arguments>
  Route& change(const OperationText& text,
                const schema::Codec<Change>& body,
                Result<Item> (*handler)(Arguments...)) const {
    return routes_.patch(
        paths_.one, text,
        {.params = path_, .body = body, .reply = view_, .facts = {.etag = true, .if_match = true}},
        withEtag(handler));
  }
  template <class... Arguments>
  Route& remove(const OperationText& text, Result<void> (*handler)(Arguments...)) const {
    return remove(text, path_, handler);
  }
  /// For a removal with parameters of its own.
  template <class Removal, class... Arguments>
  Route& remove(const OperationText& text,
                const Parameters<Removal>& parameters,
                Result<void> (*handler)(Arguments...)) const {
    return routes_.remove(paths_.one, text, {.params = parameters, .facts = {.if_match = true}},
                          handler);
  }

 private:
  template <class... Arguments>
  auto withEtag(Result<Item> (*handler)(Arguments...)) const {
    return [handler, version = version_](Arguments... arguments) -> Result<Reply<View>> {
      const Item item = TRY(handler(std::forward<Arguments>(arguments)...));
      return versionedReply(View(item), item.*version);
    };
  }

  RouteGroup<Services> routes_;
  ResourcePaths paths_;
  Parameters<Path> path_;
  schema::Codec<View> view_;
  std::int64_t Item::*version_;
};

}  // namespace spindle::http
