/** The hosts of redirects to a program on the user's own computer; its port differs from start to start (RFC 8252, 7.3). */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** The schemes of editors. Other schemes of programs need a dot, as in `com.example.app` (RFC 8252, 7.1). */
const PROGRAM_SCHEMES: ReadonlySet<string> = new Set([
  'claude:',
  'cursor:',
  'vscode:',
  'vscode-insiders:',
  'windsurf:',
  'zed:',
]);
const REVERSE_DOMAIN = /^[a-z][a-z\d+-]*(?:\.[a-z\d+-]+)+:$/;

const MAX_CHARS = 500;

/** The problem of a redirect URI that a client names, as a clause; undefined if codes may be sent there. */
export function redirectProblem(text: string): string | undefined {
  if (text.length > MAX_CHARS) return `at most ${MAX_CHARS} characters expected`;
  if (!URL.canParse(text)) return 'an absolute URL expected';
  const url = new URL(text);
  if (text.includes('#')) return 'a URL without a fragment expected';
  if (url.username !== '' || url.password !== '') return 'a URL without a user name and password expected';
  if (url.protocol === 'https:' || isLoopbackUri(text)) return undefined;
  if (PROGRAM_SCHEMES.has(url.protocol) || REVERSE_DOMAIN.test(url.protocol)) return undefined;
  return 'an address that begins with https://, or one on the computer of the user, expected';
}

/** Whether codes sent to the URI stay on the user's computer: any program there could ask in the name of the client. */
export function isLoopbackUri(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === 'http:' && LOOPBACK.has(hostname);
}

/**
 * Whether the redirect URI of a request is one of the client's. The texts must be equal; only the port of a loopback address is
 * free (RFC 9700, 2.1, and RFC 8252, 7.3).
 */
export function isRegistered(asked: string, registered: readonly string[]): boolean {
  return registered.some(
    (one) => one === asked || (isLoopbackUri(one) && URL.canParse(asked) && isSameButPort(asked, one)),
  );
}

function isSameButPort(asked: string, registered: string): boolean {
  return redirectProblem(asked) === undefined && portless(asked) === portless(registered);
}

function portless(text: string): string {
  const { protocol, hostname, pathname, search } = new URL(text);
  return JSON.stringify([protocol, hostname, pathname, search]);
}

/** The URI with these parameters added to its query. */
export function withParameters(
  uri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  const separator = uri.includes('?') ? (uri.endsWith('?') || uri.endsWith('&') ? '' : '&') : '?';
  return `${uri}${separator}${pairs.join('&')}`;
}
