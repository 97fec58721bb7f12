// Asks to sign in again when the session has ended. The page below, and all that was typed, stays.

import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { href } from "./location";
import { giveUpSession, session } from "./session";
import { SignInForm } from "./sign_in_form";

export default function ExpiredDialog() {
  const username = session.value?.username ?? "";
  return (
    <Dialog
      open
      keepOpen
      onClose={giveUpSession}
      title="Your session has ended"
      size="small"
      actions={<Button kind="quiet" onClick={giveUpSession}>Not now</Button>}
    >
      <p class="soft">
        Sign in again{username && <> as <strong>{username}</strong></>} to go on. Nothing that you typed is lost.
      </p>
      <SignInForm next={href("/login", { then: "close" })} newTab username={username} />
    </Dialog>
  );
}
