// Starts the console: signs in with a one-time link, reads the session, then renders.

import { render } from "preact";

import "./style/tokens.css";
import "./style/base.css";
import "./style/ui.css";
import "./style/frame.css";
import "./style/navigation.css";
import "./style/page.css";
import "./style/overlays.css";
import { App } from "./app/app";
import { Banners } from "./app/banner";
import { asApiError } from "./api/errors";
import { innerPath } from "./app/location";
import { prepareScreen } from "./app/outlet";
import { loadSession, openSession, session } from "./app/session";
import { StartFailure } from "./app/start_failure";
import { usedLink } from "./app/sign_in_link";

/** The frame waits this long for the first screen: rendering both at once takes less time than one after the other. */
const LONGEST_WAIT_MILLISECONDS = 150;

/** Signs in with the code of a link such as /console#code=…, and removes it from the address. */
async function signInByLink(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (!code) return;
  history.replaceState(null, "", location.pathname + location.search);
  try {
    await openSession({ code });
  } catch (error) {
    usedLink.value = asApiError(error);
  }
}

/** Resolves when the screen is loaded, or soon without it. */
function awaitScreen(screen: Promise<void>): Promise<void> {
  const waited = new Promise<void>((resolve) => setTimeout(resolve, LONGEST_WAIT_MILLISECONDS));
  // A screen that cannot be loaded is loaded again when it is shown, which says why it fails.
  return Promise.race([screen.catch(() => undefined), waited]);
}

async function start(): Promise<void> {
  const root = document.getElementById("app");
  if (!root) throw new Error("The page has no element #app.");
  render(<Banners />, root);
  const screen = prepareScreen(innerPath(location.pathname));
  screen.catch(() => undefined);
  try {
    await signInByLink();
    if (!session.peek()) await loadSession();
    if (session.peek()) await awaitScreen(screen);
    render(<App />, root);
  } catch (error) {
    render(<StartFailure error={asApiError(error)} />, root);
  }
}

void start();
