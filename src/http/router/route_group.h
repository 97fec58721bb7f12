#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/core/result.h"
#include "http/router/forward.h"
#include "http/router/operation.h"
#include "http/router/router.h"
#include "schema/record.h"

namespace spindle::http {
namespace detail {

template <class Returned>
struct ReplyOf;
template <class Out>
struct ReplyOf<Result<Out>> {
  using Type = Out;
};
template <class Out>
struct ReplyOf<Result<Reply<Out>>> {
  using Type = Out;
};
template <>
struct ReplyOf<Result<void>> {
  using Type = Nothing;
};

/// The handler's arguments that come from the request: at most parameters and a body.
template <class Services, class... Arguments>
using InputsOf =
    decltype(std::tuple_cat(std::declval<std::conditional_t<std::is_same_v<Arguments, Services> ||
                                                                std::is_same_v<Arguments, Context>,
                                                            std::tuple<>,
                                                            std::tuple<Arguments>>>()...));

/// The first and the second input of a handler. A single input is either of both.
template <class Inputs>
struct InputPair;
template <>
struct InputPair<std::tuple<>> {
  using First = Nothing;
  using Second = Nothing;
};
template <class Input>
struct InputPair<std::tuple<Input>> {
  using First = Input;
  using Second = Input;
};
template <class Parameters, class Body>
struct InputPair<std::tuple<Parameters, Body>> {
  using First = Parameters;
  using Second = Body;
};

template <class Services, class Function>
struct HandlerTypes : HandlerTypes<Services, decltype(&Function::operator())> {};
template <class Services, class Returned, class... Arguments>
struct HandlerTypes<Services, Returned (*)(Arguments...)> {
  using Inputs = InputsOf<Services, std::remove_cvref_t<Arguments>...>;
  using Params = typename InputPair<Inputs>::First;
  using Body = typename InputPair<Inputs>::Second;
  static_assert(std::tuple_size_v<Inputs> < 2 || !std::is_same_v<Params, Body>);
  using Out = typename ReplyOf<Returned>::Type;
  static constexpr bool kTwoInputs = std::tuple_size_v<Inputs> == 2;
  static constexpr bool kReturnsNothing = std::is_same_v<Returned, Result<void>>;

  template <class Handler>
  static Returned call(const Handler& handler,
                       const Services& services,
                       const Context& context,
                       Params& params,
                       Body& body) {
    return std::invoke(handler, argument<Arguments>(services, context, params, body)...);
  }

 private:
  template <class Argument>
  static decltype(auto) argument(const Services& services,
                                 const Context& context,
                                 Params& params,
                                 Body& body) {
    using Plain = std::remove_cvref_t<Argument>;
    if constexpr (std::is_same_v<Plain, Services>) {
      return (services);
    } else if constexpr (std::is_same_v<Plain, Context>) {
      return (context);
    } else if constexpr (std::is_same_v<Plain, Params>) {
      return std::move(params);
    } else {
      return std::move(body);
    }
  }
};
template <class Services, class Returned, class Class, class... Arguments>
struct HandlerTypes<Services, Returned (Class::*)(Arguments...) const>
    : HandlerTypes<Services, Returned (*)(Arguments...)> {};

}  // namespace detail

/// The schemas of an operation, its success status and what the types do not tell about it.
template <class Params, class Body, class Out>
struct Operation {
  Parameters<Params> params = {};
  std::optional<schema::Codec<Body>> body = {};
  std::optional<schema::Codec<Out>> reply = {};
  int status = 0;  ///< 0: 204 for a handler that returns Result<void>, else 200
  RouteDocumentation facts = {};
};

/// Adds operations that share services, a policy and a tag:
///
///     RouteGroup routes(router, services, policy, "identity");
///     routes.patch("/api/v1/teams/{team}",
///                  {"changeTeam", "Change the settings of a team", "For team admins."},
///                  {.params = teamPath(), .body = teamChangeCodec(), .reply = teamCodec()},
///                  changeTeam);
///
/// A handler is a function that takes, in this order and as far as it needs them: the services, the
/// Context, the parameters, the body. It is called with valid input only. It returns Result<T>,
/// Result<void> (204), or Result<Reply<T>> for another status and for headers. `Services` is
/// copied: it consists of references.
template <class Services>
class RouteGroup {
 public:
  /// `router` is borrowed until the last operation is added.
  RouteGroup(Router& router, Services services, RoutePolicy policy, std::string_view tag = {})
      : router_(router), services_(std::move(services)), policy_(policy), tag_(tag) {}
  /// For handlers without services.
  RouteGroup(Router& router, RoutePolicy policy, std::string_view tag)
      : RouteGroup(router, Services{}, policy, tag) {}

  Router& router() const { return router_; }
  const Services& services() const { return services_; }
  const RoutePolicy& policy() const { return policy_; }
  /// Sets the tag of the operations that are added from now on.
  void setTag(std::string_view tag) { tag_ = tag; }
  /// Returns a group with the same services and tag, and another policy.
  RouteGroup with(const RoutePolicy& policy) const {
    return RouteGroup(router_, services_, policy, tag_);
  }

  template <class Handler>
  using OperationOf = Operation<typename detail::HandlerTypes<Services, Handler>::Params,
                                typename detail::HandlerTypes<Services, Handler>::Body,
                                typename detail::HandlerTypes<Services, Handler>::Out>;

  template <class Handler>
  Route& get(std::string_view path,
             const OperationText& text,
             const OperationOf<Handler>& operation,
             Handler handler) const {
    return add(Method::kGet, path, text, operation, handler);
  }
  template <class Handler>
  Route& post(std::string_view path,
              const OperationText& text,
              const OperationOf<Handler>& operation,
              Handler handler) const {
    return add(Method::kPost, path, text, operation, handler);
  }
  template <class Handler>
  Route& put(std::string_view path,
             const OperationText& text,
             const OperationOf<Handler>& operation,
             Handler handler) const {
    return add(Method::kPut, path, text, operation, handler);
  }
  template <class Handler>
  Route& patch(std::string_view path,
               const OperationText& text,
               const OperationOf<Handler>& operation,
               Handler handler) const {
    return add(Method::kPatch, path, text, operation, handler);
  }
  template <class Handler>
  Route& remove(std::string_view path,
                const OperationText& text,
                const OperationOf<Handler>& operation,
                Handler handler) const {
    return add(Method::kDelete, path, text, operation, handler);
  }
  template <class Handler>
  Route& add(Method method,
             std::string_view path,
             const OperationText& text,
             const OperationOf<Handler>& operation,
             Handler handler) const {
    using Types = detail::HandlerTypes<Services, Handler>;
    OperationTypes types{operation.params, nullptr, nullptr};
    if (operation.body) types.body = operation.body->type();
    if (operation.reply) types.reply = operation.reply->type();
    const int status =
        operation.status != 0 ? operation.status : (Types::kReturnsNothing ? 204 : 200);
    Route route = routeOf({method, path, text, tag_, status}, operation.facts, policy_, types);
    route.run = [services = services_, policy = policy_, types = std::move(types), status,
                 handler](const Context& context) {
      return run<Types>(services, policy, types, status, handler, context);
    };
    return router_.addRoute(std::move(route));
  }

 private:
  template <class Types, class Handler>
  static Response run(const Services& services,
                      const RoutePolicy& policy,
                      const OperationTypes& types,
                      int status,
                      const Handler& handler,
                      const Context& context) {
    typename Types::Params params{};
    typename Types::Body body{};
    // A single input is the body if the operation has one.
    void* const read_body = Types::kTwoInputs ? static_cast<void*>(&body) : &params;
    if (std::optional<Response> refusal = readInput(types, policy, context, &params, read_body)) {
      return *std::move(refusal);
    }
    auto outcome = Types::call(handler, services, context, params, body);
    if (!outcome) return errorResponse(outcome.error(), policy.errors);
    if constexpr (Types::kReturnsNothing) {
      return respond(types, context, status, {}, nullptr);
    } else {
      Reply<typename Types::Out> reply(*std::move(outcome));
      return respond(types, context, status, std::move(reply), &reply.value);
    }
  }

  Router& router_;
  Services services_;
  RoutePolicy policy_;
  std::string_view tag_;
};

RouteGroup(Router&, RoutePolicy, std::string_view)->RouteGroup<Nothing>;

}  // namespace spindle::http
