import { isIP } from 'node:net';
import { isInAny, type Network } from '@svc/core/alert/address';

/**
 * The address of who called: the connection's own, unless that is a proxy which is trusted. Then it is the one that this proxy
 * names, and so on from the last to the first: what stands before the first that nobody trusts is only what it says of itself.
 */
export function callerAddress(
  connection: string | undefined,
  forwardedFor: string | null,
  trustedProxies: readonly Network[],
): string {
  let address = plain(connection ?? 'unknown');
  if (forwardedFor === null) return address;
  const hops = forwardedFor.split(',');
  while (isInAny(address, trustedProxies)) {
    const previous = readHop(hops.pop());
    if (previous === undefined) break;
    address = previous;
  }
  return address;
}

/** Some proxies write the port, too, and then IPv6 in brackets. Undefined for what is no address, such as `unknown`. */
function readHop(hop: string | undefined): string | undefined {
  const text = hop?.trim() ?? '';
  const [, bracketed, v4] = /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text) ?? [];
  const address = bracketed ?? v4 ?? text;
  return isIP(address) === 0 || address.includes('%') ? undefined : plain(address);
}

/** One spelling for each address: IPv6 in its short form (RFC 5952), an IPv4 address that came as IPv6 as what it is. */
function plain(address: string): string {
  if (!address.includes(':') || address.includes('%')) return address;
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(short) ?? [];
  return high === undefined || low === undefined ? short : [...octets(high), ...octets(low)].join('.');
}

function octets(group: string): number[] {
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 0xff];
}
