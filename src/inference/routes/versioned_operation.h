#pragma once

#include <string>

#include "http/router/paging.h"
#include "http/router/route_group.h"

// Operations on resources with a version: responses have an ETag, and changes accept If-Match.
namespace spindle::inference {

template <class Body, class View>
http::Operation<Body, Body, View> createVersioned(const schema::Codec<Body>& body,
                                                  const schema::Codec<View>& reply) {
  return {.body = body, .reply = reply, .status = 201, .facts = {.etag = true}};
}

/// A list of resources in pages; `name` is that of the reply's record.
template <class View>
http::Operation<http::PageQuery, http::PageQuery, http::PageReply<View>> listPages(
    const std::string& name, const schema::Codec<View>& item) {
  return {.params = http::pageParameters<http::PageQuery>(), .reply = http::pageCodec(name, item)};
}

template <class Path, class View>
http::Operation<Path, Path, View> readVersioned(const http::Parameters<Path>& path,
                                                const schema::Codec<View>& reply) {
  return {.params = path, .reply = reply, .facts = {.etag = true}};
}

template <class Path, class Body, class View>
http::Operation<Path, Body, View> changeVersioned(const http::Parameters<Path>& path,
                                                  const schema::Codec<Body>& body,
                                                  const schema::Codec<View>& reply) {
  return {.params = path, .body = body, .reply = reply, .facts = {.etag = true, .if_match = true}};
}

template <class Path>
http::Operation<Path, Path, http::Nothing> removeVersioned(const http::Parameters<Path>& path) {
  return {.params = path, .facts = {.if_match = true}};
}

}  // namespace spindle::inference
