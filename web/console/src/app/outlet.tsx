// Shows the screen of the address. The old screen stays until the new one is loaded.

import type { ComponentType } from "preact";
import { useLocation } from "preact-iso/router";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { signal } from "@preact/signals";

import { connectionLost, isReachable } from "../api/connection";
import { asApiError } from "../api/errors";
import { Button } from "../ui/button";
import { ErrorNote } from "../ui/feedback";
import { Icon } from "../ui/icons";
import { SafeText } from "../ui/safe_text";
import { ErrorBoundary } from "./error_boundary";
import { href, innerPath, paths } from "./location";
import { Hidden, NotFound } from "./not_found";
import { navigationProject, setNavigationProject } from "./place";
import { useProjectState } from "./project_guard";
import { type RouteMatch, matchRoute } from "./routes";
import { type ActiveRoute, RouteContext, type ScreenProps, documentTitle, heading } from "./screen";
import { loadScreenStyle } from "./screen_style";

/** True while the next screen is loaded. */
export const loadingScreen = signal(false);

/** The route on screen, for the frame. */
export const activeRoute = signal<ActiveRoute>({ screen: null, title: "", params: {} });

const loaded = new Map<string, ComponentType<ScreenProps>>();

async function load(match: RouteMatch): Promise<void> {
  const [{ default: component }] = await Promise.all([match.entry.load(), loadScreenStyle(match.screen)]);
  loaded.set(match.screen, component);
}

function projectOf({ team, project }: RouteMatch["params"]): string | null {
  return team && project ? `${team}/${project}` : null;
}

/** Tells the frame what is on screen. */
function announce(route: ActiveRoute): void {
  const before = activeRoute.peek();
  const same = before.screen === route.screen && before.title === route.title && JSON.stringify(before.params) === JSON.stringify(route.params);
  if (!same) activeRoute.value = route;
  const project = projectOf(route.params);
  if (project && project !== navigationProject.peek()) setNavigationProject(project);
}

/** Loads the screen of an address, so that the frame is first rendered together with it. */
export async function prepareScreen(path: string): Promise<void> {
  const match = matchRoute(path);
  if (!match) return;
  await load(match);
  announce({ screen: match.screen, title: match.entry.title, params: match.params });
}

/** Moves the focus to the new screen, as following a link to another page would, unless the screen took it. */
function focusMain(): void {
  const main = document.getElementById("main");
  if (!main?.contains(document.activeElement)) main?.focus({ preventScroll: true });
  main?.scrollTo(0, 0);
}

export function usePathMatch(): RouteMatch | null {
  const { path } = useLocation();
  return useMemo(() => matchRoute(innerPath(path)), [path]);
}

export function Outlet() {
  const match = usePathMatch();
  const [attempt, update] = useState(0);
  const [failure, setFailure] = useState<{ screen: string; error: unknown } | null>(null);
  const shown = useRef<RouteMatch | null>(null);
  const ready = match === null || loaded.has(match.screen);
  const failed = failure !== null && failure.screen === match?.screen;
  if (ready) shown.current = match;

  useEffect(() => {
    if (ready || !match || failed) return;
    loadingScreen.value = true;
    load(match)
      .catch(async (error: unknown) => {
        // The screen is loaded when the server is back. A server that answers has no such file: it was updated.
        if (await isReachable()) setFailure({ screen: match.screen, error });
        else await connectionLost();
      })
      .finally(() => {
        loadingScreen.value = false;
        update((count) => count + 1);
      });
  }, [match?.screen, ready, failed, attempt]);

  const current = ready ? match : shown.current;
  const route: ActiveRoute = {
    screen: current?.screen ?? null,
    title: current?.entry.title ?? (ready ? "Not found" : ""),
    params: current?.params ?? {},
  };
  const { team } = route.params;
  const place = projectOf(route.params);
  useEffect(() => announce(route), [current]);
  const projectState = useProjectState(place);
  const title = heading.value?.title ?? null;
  useEffect(() => {
    document.title = documentTitle(route, title);
  }, [current, title]);
  const first = useRef(true);
  useEffect(() => {
    if (!ready && !current) return; // The first screen is still loaded, and takes no focus, as a new page does not.
    if (!first.current) focusMain();
    first.current = false;
  }, [route.screen, place]);

  if (failed) {
    return (
      <div class="page">
        <ErrorNote
          title="This screen could not be loaded"
          message={asApiError(failure.error).message}
          onRetry={() => location.reload()}
        >
          <p>The server may have been updated. Loading the page again fetches its new version.</p>
        </ErrorNote>
      </div>
    );
  }
  if (!current) return ready ? <NotFound /> : null;
  const Screen = loaded.get(current.screen);
  if (!Screen) return null;
  if (projectState === "missing") return <Hidden what="project"><p>The first trace that is sent to it creates it; then it appears here.</p></Hidden>;
  return (
    <RouteContext.Provider value={route}>
      {projectState === "deleted" && (
        <div class="banner" role="alert">
          <Icon name="trash" />
          <span>The project <SafeText text={place ?? ""} line /> was deleted. What you see is old, and nothing can be stored in it.</span>
          <Button small href={href(paths.home())}>Go to the home page</Button>
        </div>
      )}
      <ErrorBoundary key={`${current.screen} ${place ?? team ?? ""}`} path={JSON.stringify(current.params)}>
        <Screen params={current.params} />
      </ErrorBoundary>
    </RouteContext.Provider>
  );
}
