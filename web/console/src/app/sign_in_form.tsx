// Signing in with a password or an API key, or through the organization's provider.

import { useState } from "preact/hooks";

import { useQuery } from "../api/cache";
import { type ApiError, asApiError } from "../api/errors";
import { type Credentials, oidcUrl, signInMethods } from "../api/sessions";
import { Button } from "../ui/button";
import { Field } from "../ui/field";
import { SecretInput, TextInput } from "../ui/inputs";
import { Segments } from "./segments";
import { openSession } from "./session";

type Way = "password" | "api_key";

const WAY_KEY = "spindle.signin";

function explain(error: ApiError): string {
  if (error.status === 429 && error.retryAfter) {
    return `Too many attempts. Try again in ${Math.ceil(error.retryAfter)} seconds.`;
  }
  return error.message;
}

export interface SignInFormProps {
  /** Where signing in through the provider leads: an address of the console. */
  next: string;
  /** Signs in through the provider in a new tab, so that this page stays. */
  newTab?: boolean;
  /** The name of the person whose session has ended. */
  username?: string;
  /** Called after signing in. */
  onDone?: () => void;
}

export function SignInForm({ next, newTab = false, username: known, onDone }: SignInFormProps) {
  const methods = useQuery({ key: ["session methods"], read: signInMethods, staleTime: 300_000 });
  const [chosen, setChosen] = useState<Way | null>(() => {
    const stored = localStorage.getItem(WAY_KEY);
    return stored === "password" || stored === "api_key" ? stored : null;
  });
  const [username, setUsername] = useState(known ?? "");
  const [password, setPassword] = useState("");
  const [key, setKey] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const offered = methods.data ?? { api_key: true, password: true, oidc: null };
  const way: Way = !offered.password ? "api_key" : !offered.api_key ? "password" : (chosen ?? "api_key");

  const submit = async () => {
    const credentials: Credentials = way === "password" ? { username: username.trim(), password } : { api_key: key.trim() };
    if (Object.values(credentials).some((value) => value === "")) return;
    setBusy(true);
    setError(null);
    try {
      await openSession(credentials);
      localStorage.setItem(WAY_KEY, way);
      onDone?.();
    } catch (thrown) {
      setError(asApiError(thrown));
    } finally {
      setBusy(false);
    }
  };
  const choose = (next: Way) => {
    setChosen(next);
    setError(null);
  };
  const refusal = error ? explain(error) : null;
  return (
    <form
      class="sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {offered.oidc && (
        <>
          <Button kind="primary" icon="lock" href={oidcUrl(next)} attributes={newTab ? { target: "_blank", rel: "noopener" } : {}}>
            Continue with {offered.oidc.name}
          </Button>
          {newTab && <p class="ui-hint">Opens a new tab. This page goes on as soon as you are signed in there.</p>}
          <div class="sign-in-or"><span>or</span></div>
        </>
      )}
      {offered.password && offered.api_key && (
        <Segments
          label="Sign in with"
          value={way}
          options={[["api_key", "API key"], ["password", "Password"]]}
          onChange={choose}
        />
      )}
      {way === "password" ? (
        <>
          <Field label="User name">
            <TextInput value={username} onInput={setUsername} autocomplete="username" name="username" />
          </Field>
          <Field label="Password" error={refusal}>
            <TextInput type="password" value={password} onInput={setPassword} autocomplete="current-password" name="password" />
          </Field>
        </>
      ) : (
        <Field label="API key" error={refusal} hint="The key is exchanged for a session. This browser does not store it.">
          <SecretInput value={key} onInput={setKey} name="api_key" />
        </Field>
      )}
      <Button type="submit" kind={offered.oidc ? "normal" : "primary"} busy={busy}>Sign in</Button>
    </form>
  );
}
