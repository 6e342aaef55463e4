const GROUPS = 8;
/** What a single customer of a network is given at least (RFC 6177). */
const NETWORK_GROUPS = 4;

/**
 * Whom a rate for an address counts for. Of IPv6 that is its network, /64: whoever has one address there has 2^64 of them, and
 * would never meet a limit.
 */
export function limitedNetwork(address: string): string {
  if (!address.includes(':')) return address;
  const [head, tail] = address.split('::').map(groupsOf);
  const all = head ?? [];
  const rest = tail ?? [];
  const zeros = tail === undefined ? 0 : Math.max(0, GROUPS - all.length - rest.length);
  const groups = [...all, ...Array.from({ length: zeros }, () => '0'), ...rest];
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

/** Without leading zeros and in lower case; an IPv4 address at the end is two of them. */
function groupsOf(text: string): string[] {
  if (text === '') return [];
  return text
    .split(':')
    .flatMap((group) => (group.includes('.') ? ['0', '0'] : Number.parseInt(group, 16).toString(16)));
}
