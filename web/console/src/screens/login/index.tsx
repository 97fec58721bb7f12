// Signing in. Leads on to `next`.

import { useLocation } from "preact-iso/router";
import { useEffect, useRef } from "preact/hooks";

import { href, navigateTo, safeNext } from "../../app/location";
import { signedIn } from "../../app/session";
import { usedLink } from "../../app/sign_in_link";
import { SignInForm } from "../../app/sign_in_form";
import { ErrorNote } from "../../ui/feedback";

/** The provider of the organization sends people back here with a reason when it refused them. */
const PROVIDER_ERROR = "error";

export default function Login() {
  const { query } = useLocation();
  const next = safeNext(query.next ?? null);
  const toLogin = href("/login");
  useEffect(() => {
    if (signedIn.value) navigateTo(next.startsWith(toLogin) ? href("/") : next, { replace: true });
  }, [signedIn.value]);
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => card.current?.querySelector<HTMLInputElement>("input:not([type=radio])")?.focus(), []);
  if (signedIn.value) return null;
  const refusal = query[PROVIDER_ERROR];
  return (
    <div class="door">
      <div class="door-card" ref={card}>
        <div class="door-head">
          <img src={document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.href} alt="" width="36" height="36" />
          <h1>Sign in to Spindle</h1>
        </div>
        {usedLink.value && (
          <ErrorNote title="This link does not sign in" message={usedLink.value.message} requestId={usedLink.value.requestId}>
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
