// The root: the router, the frame or a bare screen, and what lies above them.

import type { ComponentType } from "preact";
import { LocationProvider, useLocation } from "preact-iso/router";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";

import { connected } from "../api/connection";
import { queries } from "../api/cache";
import { consolePath } from "../api/urls";
import { ErrorBoundary } from "./error_boundary";
import { Frame } from "./frame";
import { href, navigateTo, setRoute } from "./location";
import { Outlet, usePathMatch } from "./outlet";
import { helpOpen, paletteOpen } from "./overlays";
import { loadPreferences } from "./preferences";
import { expired, session, signedIn } from "./session";
import { Toasts } from "./toasts";

/** A part that is loaded when it is first needed. */
function Lazy({ load }: { load: () => Promise<{ default: ComponentType }> }) {
  const [part, setPart] = useState<{ Part: ComponentType } | null>(null);
  useEffect(() => {
    load().then(({ default: Part }) => setPart({ Part }), console.error);
  }, []);
  return part ? <part.Part /> : null;
}

const loadPalette = () => import("./palette");
const loadHelp = () => import("./help_dialog");
const loadExpired = () => import("./expired_dialog");

function Overlays() {
  return (
    <>
      {paletteOpen.value && <Lazy load={loadPalette} />}
      {helpOpen.value && <Lazy load={loadHelp} />}
      {expired.value && <Lazy load={loadExpired} />}
    </>
  );
}

function Content() {
  const { route } = useLocation();
  useLayoutEffect(() => setRoute(route), [route]);
  const match = usePathMatch();
  const bare = match?.entry.bare ?? false;
  const mustSignIn = !bare && session.value === null;
  useEffect(() => {
    if (mustSignIn) navigateTo(href("/login", { next: location.pathname + location.search }), { replace: true });
  }, [mustSignIn]);
  useEffect(() => {
    // Preferences are a comfort: without them the defaults apply.
    if (signedIn.value) loadPreferences().catch(console.warn);
  }, [signedIn.value]);
  useEffect(() => {
    if (connected.value) void queries.invalidateQueries({ refetchType: "active", predicate: ({ state }) => state.status === "error" });
  }, [connected.value]);
  if (mustSignIn) return null;
  if (bare) {
    return (
      <main class="bare" id="main" tabIndex={-1}>
        <Outlet />
      </main>
    );
  }
  return <Frame />;
}

export function App() {
  return (
    <ErrorBoundary>
      <LocationProvider scope={consolePath()}>
        <Content />
        <Overlays />
      </LocationProvider>
      <Toasts />
    </ErrorBoundary>
  );
}
