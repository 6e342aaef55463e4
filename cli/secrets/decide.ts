import { Failure } from '../failure.ts';
import { apiOf, orFail } from '../service/api.ts';
import { findServiceOfMember } from '../service/find-service.ts';
import type { ServiceOptions } from '../service/options.ts';
import { allGrants, printGrants, type ShownGrant } from './grants.ts';

interface Subject {
  readonly secret: string;
  /** The name of an agent or of an endpoint, or the id of a grant. */
  readonly who: string;
}

/** `svc secrets allow|refuse`. */
export async function decideGrant(
  decision: 'allow' | 'refuse',
  subject: Subject,
  options: ServiceOptions,
): Promise<void> {
  const api = apiOf(findServiceOfMember(options, process.env));
  const decided: ShownGrant[] = [];
  for (const { secret, kind, id } of matchingGrants(await allGrants(api), subject))
    decided.push(await orFail(api.decideSecretGrant({ body: { secret, kind, id, decision } })));
  printGrants(decided, options.json === true);
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
