import { isInAny, type Network, notPublic } from './address.ts';

/** The parts of a URL in the form of `URL`: hosts in lower case, IPv4 with four numbers. */
export interface UrlParts {
  readonly protocol: string;
  readonly username: string;
  readonly password: string;
  readonly hostname: string;
  readonly port: string;
}

const LOWEST_FREE_PORT = 1024;
const WELL_KNOWN_PORTS = [80, 443];
/** The ports above 1023 that browsers block for HTTP because other services use them (Fetch, "bad port"). */
const BAD_PORTS: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
]);

/** The problem of a target URL, as a clause; undefined if it may be tried. */
export function targetProblem(
  { protocol, username, password, hostname, port }: UrlParts,
  allowed: readonly Network[],
): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') return 'an address that begins with https:// expected';
  if (username !== '' || password !== '') return 'an address without a user name and password expected';
  if (hostname === '') return 'an address with a host expected';
  if (!isPortAllowed(port)) return `port ${port} is not one that webhooks are sent to`;
  return isLiteral(hostname) ? addressProblem(bareHost(hostname), allowed) : undefined;
}

/** The operator's remedy, as a clause. */
export const ALLOWED_BY = 'the operator of the hub can allow a network with SVC_ALERT_PRIVATE_NETWORKS';

/** Why an address may not be connected to; undefined if it may. */
export function addressProblem(address: string, allowed: readonly Network[]): string | undefined {
  if (isInAny(address, allowed)) return undefined;
  const what = notPublic(address);
  return what === undefined ? undefined : `${address} is not on the public Internet (${what}); ${ALLOWED_BY}`;
}

/** IPv6 without its brackets. */
export function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** Whether the host is an address and no name. */
export function isLiteral(hostname: string): boolean {
  return hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
}

function isPortAllowed(port: string): boolean {
  if (port === '') return true;
  const number = Number(port);
  return WELL_KNOWN_PORTS.includes(number) || (number >= LOWEST_FREE_PORT && !BAD_PORTS.has(number));
}
