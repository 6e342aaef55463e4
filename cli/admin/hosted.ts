import type { Admin } from '@svc/hub/admin/admin';
import { plural } from '../plural.ts';
import { withAdmin } from './open.ts';
import type { AdminOptions } from './options.ts';
import { printable, printResult } from './print.ts';

type ListedToken = Awaited<ReturnType<Admin['runnerTokens']>>[number];

/** `svc admin runner-token create`: prints only the token, for use in a shell; the token is shown once. */
export async function createRunnerToken(name: string, options: AdminOptions): Promise<void> {
  const { id, token } = await withAdmin((admin) => admin.makeRunnerToken(name));
  process.stdout.write(options.json ? `${JSON.stringify({ id, name, token })}\n` : `${token}\n`);
}

/** `svc admin runner-token list`: one line per token, with its hosts. */
export async function listRunnerTokens(options: AdminOptions): Promise<void> {
  for (const token of await withAdmin((admin) => admin.runnerTokens()))
    printResult(options, lineOf(token), [{ label: printable(token.name), text: textOf(token) }]);
}

/** `svc admin runner-token revoke`. */
export async function revokeRunnerToken(id: string, options: AdminOptions): Promise<void> {
  await withAdmin((admin) => admin.revokeRunnerToken(id));
  printResult(options, { id }, [{ label: id, text: 'revoked; hubs close its connections within seconds' }]);
}

/** `svc admin hosted-network`. */
export async function setHostedNetwork(
  username: string,
  isAllowed: boolean,
  options: AdminOptions,
): Promise<void> {
  await withAdmin((admin) => admin.setHostedNetwork(username, isAllowed));
  const text = isAllowed ? 'can now reach a network' : 'can no longer reach a network';
  printResult(options, { username, network: isAllowed }, [
    { label: username, text: `hosted executions ${text}` },
  ]);
}

function lineOf({ id, name, last4, createdAtMs, revokedAtMs, hosts }: ListedToken) {
  return {
    id,
    name,
    last4,
    created_at: new Date(createdAtMs).toISOString(),
    revoked_at: revokedAtMs === undefined ? null : new Date(revokedAtMs).toISOString(),
    hosts: hosts.map((host) => ({
      instance: host.instance,
      hostname: host.hostname,
      engine: host.engine,
      capacity: host.capacity,
      status: host.hubId === undefined ? 'offline' : 'online',
      last_seen_at: new Date(host.seenAtMs).toISOString(),
    })),
  };
}

function textOf({ id, last4, revokedAtMs, hosts }: ListedToken): string {
  const online = hosts.filter(({ hubId }) => hubId !== undefined);
  const names = online.map(({ hostname, capacity }) => `${printable(hostname)} (${capacity})`).join(', ');
  const state = revokedAtMs === undefined ? plural(online.length, 'host') : 'revoked';
  return `${id}  …${last4}  ${state}${names === '' ? '' : `: ${names}`}`;
}
