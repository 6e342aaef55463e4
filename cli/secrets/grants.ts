import type { ApiClient } from '@svc/core/api/client/client-of';
import { Failure } from '../failure.ts';
import type { FactRow } from '../terminal.ts';

/** A secret grant of the API. */
export type ShownGrant = Awaited<ReturnType<ApiClient['decideSecretGrant']>>;
export type ShownGrantState = ShownGrant['state'];

export const SECRET_GRANT_STATES = [
  'waiting',
  'allowed',
  'refused',
  'granted',
] as const satisfies readonly ShownGrantState[];

interface Subject {
  readonly secret: string;
  /** The name of an agent or of an endpoint, or the id of a grant. */
  readonly who: string;
}

/** The grants of the workspace, by secret. */
export async function allGrants(api: ApiClient, state?: ShownGrantState): Promise<ShownGrant[]> {
  const all: ShownGrant[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.listSecretGrants({ query: { limit: 100, cursor, state } });
    all.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

/** Decides all matching grants. Returns them as they are afterwards. */
export async function decideGrant(
  api: ApiClient,
  decision: 'allow' | 'refuse',
  subject: Subject,
): Promise<ShownGrant[]> {
  const decided: ShownGrant[] = [];
  for (const { secret, kind, id } of matchingGrants(await allGrants(api), subject))
    decided.push(await api.decideSecretGrant({ body: { secret, kind, id, decision } }));
  return decided;
}

/**
 * The waiting grants with the name, else all with it. An endpoint may wait twice, as public and as scheduled. Several agents
 * under one name need an id, because one of them may be a stranger.
 */
function matchingGrants(all: readonly ShownGrant[], { secret, who }: Subject): ShownGrant[] {
  const named = all.filter((grant) => grant.secret === secret && [grant.name, grant.id].includes(who));
  const waiting = named.filter(({ state }) => state === 'waiting');
  const matching = waiting.length > 0 ? waiting : named;
  if (matching.length === 0)
    throw new Failure(`no agent or endpoint "${who}" uses a secret "${secret}"`, {
      tip: 'svc secrets grants',
    });
  const agents = matching.filter(({ kind, id }) => (kind === 'agent' || kind === 'process') && id !== who);
  if (agents.length < 2) return matching;
  throw new Failure(`several agents named "${who}" use "${secret}": give the id of one`, {
    details: agents.map(({ question, about, id }) => `${id}  ${question} (${about ?? 'unknown'})`),
  });
}

export function grantRow({ secret, state, question, about, id }: ShownGrant): FactRow {
  const of = about === null ? '' : ` (${about})`;
  const text = `${state.padEnd('allowed'.length)}  ${question}${of}  ${id}`;
  return { label: secret, text, ...(state === 'waiting' ? { tone: 'warning' as const } : {}) };
}
