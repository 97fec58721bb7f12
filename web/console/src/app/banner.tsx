// A line above the page while the server cannot be reached.

import { connected } from "../api/connection";
import { Icon } from "../ui/icons";

export function OfflineBanner() {
  return (
    <div role="status">
      {!connected.value && (
        <div class="banner">
          <Icon name="alert" />
          <span>The server cannot be reached. What you see may be old; it is read again as soon as the server answers.</span>
        </div>
      )}
    </div>
  );
}
