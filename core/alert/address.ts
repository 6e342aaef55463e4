/** An address as its bytes: 4 of IPv4, 16 of IPv6. */
type Bytes = readonly number[];

/** An address and how many of its first bits count. */
export interface Network {
  readonly bytes: Bytes;
  readonly bits: number;
}

/** The purpose of each network outside the public Internet (the registries of RFC 6890 and what clouds add). */
const SPECIAL: readonly (readonly [network: string, what: string])[] = [
  ['0.0.0.0/8', 'this machine'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared by a carrier'],
  ['127.0.0.0/8', 'loopback'],
  // 169.254.169.254 gives programs in most clouds their credentials.
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'for documentation'],
  ['192.88.99.0/24', 'translated (6to4)'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'for benchmarks'],
  ['198.51.100.0/24', 'for documentation'],
  ['203.0.113.0/24', 'for documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  // The host of a machine in Azure, under an address of the public Internet.
  ['168.63.129.16/32', 'for metadata'],
  ['::/128', 'this machine'],
  ['::1/128', 'loopback'],
  ['::ffff:0:0/96', 'translated (IPv4-mapped)'],
  ['64:ff9b::/96', 'translated (NAT64)'],
  ['64:ff9b:1::/48', 'translated (NAT64)'],
  ['2001::/32', 'translated (Teredo)'],
  ['2001::/23', 'reserved'],
  ['2001:db8::/32', 'for documentation'],
  ['2002::/16', 'translated (6to4)'],
  ['3fff::/20', 'for documentation'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link-local'],
  ['ff00::/8', 'multicast'],
];
/** The only part of IPv6 that is assigned to the public Internet (RFC 4291). */
const GIVEN_OUT = '2000::/3';

const NETWORKS = SPECIAL.map(([text, what]) => ({ network: known(text), what }));
const PUBLIC_V6 = known(GIVEN_OUT);

/**
 * The purpose of an address that is not public; undefined for a public one.
 *
 * NOTE: An IPv4 address inside an IPv6 one is refused without a look at its value: resolvers return the IPv4 address
 * itself, and the embedded form only serves to bypass rules such as this.
 */
export function notPublic(address: string): string | undefined {
  const bytes = readAddress(address);
  if (bytes === undefined) return 'no address';
  const special = NETWORKS.find(({ network }) => isIn(bytes, network));
  if (special !== undefined) return special.what;
  return bytes.length === 16 && !isIn(bytes, PUBLIC_V6) ? 'reserved' : undefined;
}

export function isInAny(address: string, networks: readonly Network[]): boolean {
  const bytes = readAddress(address);
  return bytes !== undefined && networks.some((network) => isIn(bytes, network));
}

/** Parses `10.0.0.0/8`, `fd00::/8` or a single address; undefined for anything else. */
export function readNetwork(text: string): Network | undefined {
  const [address = '', prefix, ...rest] = text.split('/');
  const bytes = readAddress(address);
  if (bytes === undefined || rest.length > 0) return undefined;
  const most = bytes.length * 8;
  if (prefix === undefined) return { bytes, bits: most };
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > most) return undefined;
  return { bytes, bits: Number(prefix) };
}

function isIn(bytes: Bytes, { bytes: of, bits }: Network): boolean {
  if (bytes.length !== of.length) return false;
  return bytes.every((byte, index) => {
    const counted = Math.min(8, Math.max(0, bits - index * 8));
    return (byte ^ (of[index] ?? 0)) >> (8 - counted) === 0;
  });
}

/** Parses an address in the form of resolvers and `URL`; rejects a zone (`%eth0`) and other spellings of IPv4. */
function readAddress(text: string): Bytes | undefined {
  return text.includes(':') ? readV6(text) : readV4(text);
}

function readV4(text: string): Bytes | undefined {
  const parts = text.split('.');
  const isPlain = parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part));
  const bytes = parts.map(Number);
  return isPlain && bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

function readV6(text: string): Bytes | undefined {
  const [head = '', tail, ...rest] = text.split('::');
  if (rest.length > 0) return undefined;
  const [before, after] = [readGroups(head), tail === undefined ? [] : readGroups(tail)];
  if (before === undefined || after === undefined) return undefined;
  const missing = 16 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 2) return undefined;
  return [...before, ...Array<number>(missing).fill(0), ...after];
}

/** The groups on one side of `::`, the last of which may be an IPv4 address. */
function readGroups(text: string): number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [index, group] of groups.entries()) {
    const isLast = index === groups.length - 1;
    const v4 = isLast && group.includes('.') ? readV4(group) : undefined;
    if (v4 !== undefined) bytes.push(...v4);
    else if (/^[0-9a-f]{1,4}$/i.test(group))
      bytes.push(Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff);
    else return undefined;
  }
  return bytes;
}

function known(text: string): Network {
  const network = readNetwork(text);
  if (network === undefined) throw new Error(`"${text}" is no network`);
  return network;
}
