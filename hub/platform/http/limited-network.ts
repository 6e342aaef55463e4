const GROUPS = 8;
/** The smallest prefix that a customer of a network gets (RFC 6177). */
const NETWORK_GROUPS = 4;

/**
 * The key of a rate limit per address. For IPv6 it is the /64 network, because its owner has 2^64 addresses and
 * would never reach a limit.
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

/** The groups of an IPv6 address in lower case without leading zeros; a final IPv4 address gives two groups. */
function groupsOf(text: string): string[] {
  if (text === '') return [];
  return text
    .split(':')
    .flatMap((group) => (group.includes('.') ? ['0', '0'] : Number.parseInt(group, 16).toString(16)));
}
