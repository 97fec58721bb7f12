// The first line of commands that call this server.

/** Sets `$URL` and `$KEY` for a shell. The key is shown nowhere, so it is a placeholder. */
export function connectionLine(): string {
  return `export URL=${new URL("..", document.baseURI).href.replace(/\/$/, "")} KEY=YOUR_API_KEY`;
}
