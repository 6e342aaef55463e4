import { lookup } from 'node:dns/promises';
import type { Network } from '@svc/core/alert/address';
import { addressProblem, bareHost, isLiteral, targetProblem } from '@svc/core/alert/target-url';

/** The addresses of a name, in the order in which they are to be tried. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** Why an alert is not sent there, for the log of its rule. */
export class TargetError extends Error {
  override readonly name = 'TargetError';
}

export const systemResolve: Resolve = async (name) =>
  (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address);

/**
 * Where a URL leads, by addresses that were checked: whoever connects, connects to one of them and asks nobody again.
 *
 * A name with one address that is refused is refused: it could be asked for until the other one comes.
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
    // NOTE: Without the address: whoever reads the log would learn from it what the resolver of this network answers.
    throw new TargetError(`${target.hostname} leads to an address that is not on the public Internet`);
  return addresses;
}

async function found(hostname: string, resolve: Resolve): Promise<readonly string[]> {
  const addresses = await resolve(hostname).catch((cause: unknown) => {
    throw new TargetError(`${hostname} has no address`, { cause });
  });
  if (addresses.length === 0) throw new TargetError(`${hostname} has no address`);
  return addresses;
}
