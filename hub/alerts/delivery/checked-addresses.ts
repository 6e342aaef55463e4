import { lookup } from 'node:dns/promises';
import type { Network } from '@svc/core/alert/address';
import { ALLOWED_BY, addressProblem, bareHost, isLiteral, targetProblem } from '@svc/core/alert/target-url';

/** Resolves a name to its addresses, in the order in which to try them. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** The reason, for the log of the rule, why the alert is not sent to this URL. */
export class TargetError extends Error {
  override readonly name = 'TargetError';
}

export const systemResolve: Resolve = async (name) =>
  (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address);

/**
 * The checked addresses of a URL. The sender connects to one of them and does not resolve the name again.
 *
 * One refused address makes the whole name refused; else a caller could repeat the request until that address is used.
 */
export async function checkedAddresses(
  target: URL,
  resolve: Resolve,
  allowed: readonly Network[],
): Promise<readonly string[]> {
  const problem = targetProblem(target, allowed);
  if (problem !== undefined) throw new TargetError(problem);
  if (isLiteral(target.hostname)) return [bareHost(target.hostname)];
  const addresses = await found(target.hostname, resolve);
  if (addresses.some((address) => addressProblem(address, allowed) !== undefined))
    // NOTE: The message leaves out the address; the log must not reveal what the resolver of this network answers.
    throw new TargetError(
      `${target.hostname} leads to an address that is not on the public Internet; ${ALLOWED_BY}`,
    );
  return addresses;
}

async function found(hostname: string, resolve: Resolve): Promise<readonly string[]> {
  const addresses = await resolve(hostname).catch((cause: unknown) => {
    throw new TargetError(`${hostname} has no address`, { cause });
  });
  if (addresses.length === 0) throw new TargetError(`${hostname} has no address`);
  return addresses;
}
