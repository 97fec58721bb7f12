// Lines above the page: the server cannot be reached, or the session has ended.

import { connected } from "../api/connection";
import { Button } from "../ui/button";
import { Icon } from "../ui/icons";
import { askForSession, declined, expired } from "./session";

export function Banners() {
  return (
    <div role="status">
      {!connected.value && (
        <div class="banner">
          <Icon name="alert" />
          <span>The server cannot be reached. What you see may be old; it is read again as soon as the server answers.</span>
        </div>
      )}
      {declined.value && !expired.value && (
        <div class="banner">
          <Icon name="lock" />
          <span>Your session has ended. What you see may be old; nothing can be read or changed until you sign in.</span>
          <Button small onClick={askForSession}>Sign in</Button>
        </div>
      )}
    </div>
  );
}
