import { isIP } from 'node:net';

/** The address of who called: through proxies that are trusted, what they say; of all others, the connection's own. */
export function callerAddress(
  connection: string | undefined,
  forwardedFor: string | null,
  trustedProxies: readonly string[],
): string {
  let address = plain(connection ?? 'unknown');
  const hops = (forwardedFor ?? '').split(',').map((hop) => plain(hop.trim()));
  while (trustedProxies.includes(address)) {
    const previous = hops.pop();
    if (previous === undefined || isIP(previous) === 0) break;
    address = previous;
  }
  return address;
}

/** An IPv4 address that came through an IPv6 socket. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
