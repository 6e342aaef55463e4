import { isIP } from 'node:net';
import { isInAny, type Network } from '@svc/core/alert/address';

/**
 * The address of the caller: that of the connection, unless it is a trusted proxy. Then it is the one that the proxy
 * reports, and so on from the last entry to the first. The first untrusted address counts; entries before it are unverified.
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

/** Some proxies add the port, and then write IPv6 in brackets. Undefined for other values, such as `unknown`. */
function readHop(hop: string | undefined): string | undefined {
  const text = hop?.trim() ?? '';
  const [, bracketed, v4] = /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text) ?? [];
  const address = bracketed ?? v4 ?? text;
  return isIP(address) === 0 || address.includes('%') ? undefined : plain(address);
}

/** Normalizes an address: IPv6 in its short form (RFC 5952), and an IPv4-mapped address as IPv4. */
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
