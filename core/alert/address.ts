import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type RangeName = ReturnType<Address['range']>;

/** An address and how many of its first bits count. */
export interface Network {
  readonly address: Address;
  readonly bits: number;
}

/** Networks that the library counts as public. */
const MORE_NETWORKS: readonly (readonly [network: string, what: string])[] = [
  // The host of a machine in Azure, under an address of the public Internet.
  ['168.63.129.16/32', 'for metadata'],
  // IETF protocol assignments (RFC 2928); the library knows only the parts with a purpose.
  ['2001::/23', 'reserved'],
];
/** The only part of IPv6 that is assigned to the public Internet (RFC 4291). */
const PUBLIC_V6 = known('2000::/3');

const NETWORKS = MORE_NETWORKS.map(([text, what]) => ({ network: known(text), what }));

/** The library's names for special networks, in words; any other name of a network that is not public is `reserved`. */
const WORDS: Partial<Record<RangeName, string>> = {
  unspecified: 'this machine',
  private: 'private',
  uniqueLocal: 'private',
  carrierGradeNat: 'shared by a carrier',
  loopback: 'loopback',
  // 169.254.169.254 gives programs in most clouds their credentials.
  linkLocal: 'link-local',
  multicast: 'multicast',
  ipv4Mapped: 'translated (IPv4-mapped)',
  rfc6052: 'translated (NAT64)',
  teredo: 'translated (Teredo)',
  '6to4': 'translated (6to4)',
};

/**
 * The purpose of an address that is not public; undefined for a public one.
 *
 * NOTE: An IPv4 address inside an IPv6 one is refused without a look at its value: resolvers return the IPv4 address
 * itself, and the embedded form only serves to bypass rules such as this.
 */
export function notPublic(text: string): string | undefined {
  const address = readAddress(text);
  if (address === undefined) return 'no address';
  const range: RangeName = address.range();
  if (range !== 'unicast') return WORDS[range] ?? 'reserved';
  const special = NETWORKS.find(({ network }) => isIn(address, network));
  if (special !== undefined) return special.what;
  return address.kind() === 'ipv6' && !isIn(address, PUBLIC_V6) ? 'reserved' : undefined;
}

export function isInAny(text: string, networks: readonly Network[]): boolean {
  const address = readAddress(text);
  return address !== undefined && networks.some((network) => isIn(address, network));
}

/** Parses `10.0.0.0/8`, `fd00::/8` or a single address; undefined for anything else. */
export function readNetwork(text: string): Network | undefined {
  const [host = '', prefix, ...rest] = text.split('/');
  const address = readAddress(host);
  if (address === undefined || rest.length > 0) return undefined;
  const max = address.kind() === 'ipv4' ? 32 : 128;
  if (prefix === undefined) return { address, bits: max };
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > max) return undefined;
  return { address, bits: Number(prefix) };
}

function isIn(address: Address, { address: of, bits }: Network): boolean {
  return address.kind() === of.kind() && address.match(of, bits);
}

/** Parses an address in the form of resolvers and `URL`; rejects a zone (`%eth0`) and other spellings of IPv4. */
function readAddress(text: string): Address | undefined {
  if (text.includes('%')) return undefined;
  if (!text.includes(':'))
    return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : undefined;
  return ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : undefined;
}

function known(text: string): Network {
  const network = readNetwork(text);
  if (network === undefined) throw new Error(`"${text}" is no network`);
  return network;
}
