/** Sends the form of a page without scripts, as a browser does that stays on the page where it arrives. */
export function postForm(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const { origin } = new URL(url);
  return fetch(url, { method: 'POST', redirect: 'manual', headers: { origin, ...headers } });
}
