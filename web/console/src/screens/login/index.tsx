// Signing in. Leads on to `next`. With `?then=close` it was opened by a page in another tab that waits for the session.

import { useLocation } from "preact-iso/router";
import { useEffect, useRef } from "preact/hooks";

import { lookup } from "../../format/lookup";
import { href, navigateTo, safeNext } from "../../app/location";
import { signedIn } from "../../app/session";
import { usedLink } from "../../app/sign_in_link";
import { SignInForm } from "../../app/sign_in_form";
import { Button } from "../../ui/button";
import { Empty, ErrorNote } from "../../ui/feedback";

/** Why signing in through the provider failed, by the word in `?error=oidc_…`. */
const REFUSALS = lookup<string>({
  cancelled: "Signing in was cancelled.",
  domain: "Accounts of your email domain are not allowed here.",
  no_user: "You have no account here. Ask an administrator to invite you.",
  replayed: "This sign-in was used before. Start again.",
  state: "The sign-in took too long, or began in another browser. Start again.",
  suspended: "Your account is suspended. Ask an administrator.",
  too_many_attempts: "Too many attempts. Try again in a few minutes.",
  refused: "The answer of the provider was not accepted. Ask an administrator to look into the log of the server.",
  unavailable: "The provider does not answer. Try again later.",
});

export default function Login() {
  const { query } = useLocation();
  const next = safeNext(query.next ?? null);
  const toLogin = href("/login");
  const forOtherTab = query.then === "close";
  useEffect(() => {
    if (signedIn.value && !forOtherTab) navigateTo(next.startsWith(toLogin) ? href("/") : next, { replace: true });
  }, [signedIn.value]);
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => card.current?.querySelector<HTMLInputElement>("input:not([type=radio])")?.focus(), []);
  if (signedIn.value && forOtherTab) {
    return (
      <div class="door">
        <div class="door-card">
          <Empty title="You are signed in" icon="check" actions={<Button href={href("/")}>Open the console here</Button>}>
            <p>Close this tab: the one that you came from goes on.</p>
          </Empty>
        </div>
      </div>
    );
  }
  if (signedIn.value) return null;
  const refusal = query.error ? (REFUSALS[query.error.replace(/^oidc_/, "")] ?? REFUSALS.refused) : null;
  return (
    <div class="door">
      <div class="door-card" ref={card}>
        <div class="door-head">
          <img src={document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.href} alt="" width="36" height="36" />
          <h1>Sign in to Spindle</h1>
        </div>
        {usedLink.value && (
          <ErrorNote title="This link does not sign in" message={usedLink.value.message} requestId={usedLink.value.status === 401 ? null : usedLink.value.requestId}>
            <p>A link works once, for 15 minutes. <code>spindle login-link</code> on the server prints a new one.</p>
          </ErrorNote>
        )}
        {refusal && <ErrorNote title="Your provider did not sign you in" message={refusal} />}
        <SignInForm next={next} />
      </div>
      <details class="door-help">
        <summary>Where do I get a key?</summary>
        <p>
          The first start of the server writes the administrator's key to <code>admin-api-key</code> in its data folder.
        </p>
        <p>
          On the server, <code>spindle login-link</code> prints a link that signs in without a key.
        </p>
        <p>Everyone else: ask an administrator for an invitation or a key.</p>
      </details>
    </div>
  );
}
