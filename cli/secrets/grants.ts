import { allItems } from '@svc/core/api/client/client';
import type { ApiClient } from '@svc/core/api/client/client-of';
import type { RouteQuery } from '@svc/core/api/routes';
import { apiOf, orFail } from '../service/api.ts';
import { findServiceOfMember } from '../service/find-service.ts';
import type { ServiceOptions } from '../service/options.ts';
import { writeRows } from '../terminal.ts';

/** A secret grant of the API. */
export type ShownGrant = Awaited<ReturnType<ApiClient['decideSecretGrant']>>;

export interface GrantListOptions extends ServiceOptions {
  readonly state?: string;
}

/** `svc secrets grants`: the grants of the workspace, waiting ones first. */
export async function listGrants({ state, json, ...where }: GrantListOptions): Promise<void> {
  const api = apiOf(findServiceOfMember(where, process.env));
  // The service checks the state.
  const wanted = state as RouteQuery<'listSecretGrants'>['state'];
  const all = await allGrants(api, wanted);
  const waits = (grant: ShownGrant) => grant.state === 'waiting';
  printGrants([...all.filter(waits), ...all.filter((grant) => !waits(grant))], json === true);
}

export async function allGrants(
  api: ApiClient,
  state?: RouteQuery<'listSecretGrants'>['state'],
): Promise<ShownGrant[]> {
  const pages = allItems((cursor) => api.listSecretGrants({ query: { limit: 100, cursor, state } }));
  return await orFail(Array.fromAsync(pages));
}

export function printGrants(grants: readonly ShownGrant[], json: boolean): void {
  if (json) {
    for (const grant of grants) process.stdout.write(`${JSON.stringify(grant)}\n`);
    return;
  }
  if (grants.length === 0) process.stderr.write('no grants\n');
  else writeRows(process.stdout, grants.map(rowOf));
}

function rowOf({ secret, state, question, about, id }: ShownGrant) {
  const of = about === null ? '' : ` (${about})`;
  const text = `${state.padEnd('allowed'.length)}  ${question}${of}  ${id}`;
  return { label: secret, text, ...(state === 'waiting' ? { tone: 'warning' as const } : {}) };
}
