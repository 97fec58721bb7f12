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
import { loadSession, openSession, session } from "./app/session";
import { StartFailure } from "./app/start_failure";
import { usedLink } from "./app/sign_in_link";

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

async function start(): Promise<void> {
  const root = document.getElementById("app");
  if (!root) throw new Error("The page has no element #app.");
  render(<Banners />, root);
  try {
    await signInByLink();
    if (!session.peek()) await loadSession();
    render(<App />, root);
  } catch (error) {
    render(<StartFailure error={asApiError(error)} />, root);
  }
}

void start();
