// Accepting an invitation to a team: with a new account, or with the one that is signed in.

import { useEffect, useState } from "preact/hooks";

import { useMutation, useQuery } from "../../api/cache";
import { type InvitationOffer, acceptInvitation, showInvitation } from "../../api/people";
import { href, navigateTo, paths } from "../../app/location";
import { Loaded } from "../../app/page";
import { adoptSession, closeSession, loadSession, session } from "../../app/session";
import { formatTime } from "../../format/time";
import { Button } from "../../ui/button";
import { Empty } from "../../ui/feedback";
import { Field } from "../../ui/field";
import { TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";

const SHORTEST_PASSWORD = 12;

const TOKEN_KEY = "spindle.invitation";

/**
 * The token is in the fragment, which browsers send to no server. It leaves the address at once; this tab keeps it
 * for people who sign in first.
 */
function takeToken(): string {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return sessionStorage.getItem(TOKEN_KEY) ?? "";
  history.replaceState(null, "", location.pathname);
  sessionStorage.setItem(TOKEN_KEY, token);
  return token;
}

const ROLE_WORDS = { ADMIN: "an admin", MEMBER: "a member", VIEWER: "a viewer" } as const;

export default function InvitationScreen() {
  const [token] = useState(takeToken);
  const offer = useQuery({
    key: ["invitation", token],
    read: (signal) => showInvitation(token, signal),
    enabled: token !== "",
  });
  useEffect(() => {
    if (session.peek() === undefined) void loadSession();
  }, []);
  const gone = token === "" || offer.error?.missing;
  return (
    <div class="door">
      <div class="door-card">
        <div class="door-head">
          <img src={document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.href} alt="" width="36" height="36" />
          <h1>{offer.data ? <>Join <SafeText text={offer.data.team} line /></> : "Invitation"}</h1>
        </div>
        {gone ? (
          <Empty title="This invitation is not valid" icon="lock">
            <p>It was used, has expired, or was withdrawn. Ask the person who sent it for a new one.</p>
          </Empty>
        ) : (
          <Loaded state={offer} what="invitation" lines={3}>
            {(data) => (
              <>
                <p class="offer">
                  {data.inviter ? <strong><SafeText text={data.inviter} line /></strong> : "An admin"} invites you as {ROLE_WORDS[data.role]}. The invitation
                  ends at {formatTime(data.expires_at)} UTC.
                </p>
                {session.value ? <AcceptSignedIn token={token} offer={data} /> : <NewAccount token={token} offer={data} />}
              </>
            )}
          </Loaded>
        )}
      </div>
    </div>
  );
}

function welcome(offer: InvitationOffer): void {
  sessionStorage.removeItem(TOKEN_KEY);
  navigateTo(href(paths.home(), { joined: offer.team }), { replace: true });
}

function AcceptSignedIn({ token, offer }: { token: string; offer: InvitationOffer }) {
  const accept = useMutation({
    change: () => acceptInvitation({ token }),
    invalidates: [["me"], ["projects"]],
    done: () => welcome(offer),
  });
  return (
    <div class="door-form">
      {accept.error && <p class="ui-field-error" role="alert">{accept.error.message}</p>}
      <Button kind="primary" busy={accept.pending} onClick={() => void accept.run().catch(() => undefined)}>
        Join as {session.value?.username}
      </Button>
      <Button kind="quiet" onClick={() => void closeSession(location.pathname)}>Use another account</Button>
    </div>
  );
}

function NewAccount({ token, offer }: { token: string; offer: InvitationOffer }) {
  const [username, setUsername] = useState("");
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [tried, setTried] = useState(false);
  const accept = useMutation({
    change: () =>
      acceptInvitation({ token, username: username.trim(), password, ...(name.trim() === "" ? {} : { name: name.trim() }) }),
    done: (accepted) => {
      if (accepted.session) adoptSession(accepted.session);
      welcome(offer);
    },
  });
  const short = password.length < SHORTEST_PASSWORD ? `At least ${SHORTEST_PASSWORD} characters.` : null;
  const missing = username.trim() === "" ? "Choose a user name." : null;
  const { error } = accept;
  return (
    <form
      class="door-form"
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (!short && !missing) void accept.run().catch(() => undefined);
      }}
    >
      <Field label="User name" required error={(tried && missing) || error?.field("username")}>
        <TextInput value={username} onInput={setUsername} autocomplete="username" name="username" />
      </Field>
      <Field label="Full name" error={error?.field("name") ?? null}>
        <TextInput value={name} onInput={setName} autocomplete="name" name="name" />
      </Field>
      <Field
        label="Password"
        required
        hint={`${SHORTEST_PASSWORD} characters or more; a few words are easier to remember.`}
        error={(tried && short) || error?.field("password")}
      >
        <TextInput type="password" value={password} onInput={setPassword} autocomplete="new-password" name="password" />
      </Field>
      {error?.besides("username", "name", "password") && <p class="ui-field-error" role="alert">{error.message}</p>}
      <Button type="submit" kind="primary" busy={accept.pending}>Create the account and join</Button>
      <Button kind="quiet" href={href("/login", { next: location.pathname })}>I have an account</Button>
    </form>
  );
}
