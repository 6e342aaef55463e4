/** What a passkey belongs to: the name of the hub, and the one origin whose pages may use it (WebAuthn, section 5.1.2). */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

/** How long a challenge may take from its start to the answer. */
export const CHALLENGE_MS = 5 * 60 * 1000;
/** How old the sign-in of a session may be when it changes passkeys. */
export const RECENT_SIGN_IN_MS = 15 * 60 * 1000;
export const MAX_PASSKEYS = 20;

/** Why a hub at this URL takes no passkeys. */
export function noPasskeysHere(hubUrl: string): string {
  return `this hub takes no passkeys: browsers accept them at https:// with a name, or at http://localhost; the URL of this hub (SVC_HUB_URL) is ${hubUrl}`;
}

/** Undefined: browsers refuse passkeys at this URL, because it is an IP address, or plain http to another machine. */
export function relyingPartyOf(hubUrl: string): RelyingParty | undefined {
  const { protocol, hostname, host } = new URL(hubUrl);
  // The parser writes every IPv4 address in its dotted form, and IPv6 in brackets.
  if (/^\[|^[\d.]+$/.test(hostname)) return undefined;
  const isSecure = protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
  return isSecure ? { id: hostname, origin: `${protocol}//${host}` } : undefined;
}
