#pragma once

#include "app/sign_in/oidc_stack.h"
#include "app/wiring/server_stacks.h"
#include "http/browser/session_cookies.h"
#include "http/router/forward.h"

namespace spindle::app {

/// Adds the routes of sign-ins and invitations. All references must outlive the router.
void addSignInRoutes(http::Router& router,
                     IdentityStack& identity,
                     OidcStack& oidc,
                     const http::SessionCookies& cookies,
                     const StackContext& context);

/// Adds the routes of all areas. `stacks` must outlive the router.
void addAreaRoutes(http::Router& router, ServerStacks& stacks, const StackContext& context);

}  // namespace spindle::app
