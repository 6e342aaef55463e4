import type { AuditAction } from '@svc/core/audit/actions';
import type { AuditEntry, AuditSource, AuditTarget } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import type { Team } from '@svc/core/team/team';
import type { Workspace } from '../accounts/account-ports.ts';
import type { KeyedMutex } from '../platform/keyed-mutex.ts';
import type { Teams } from './store/team-store.ts';
import type { TeamChange } from './team-ports.ts';

/** Each lost attempt is a change that another hub has stored: so many at once are no team. */
const ATTEMPTS = 200;

export type TeamPorts = { readonly teams: Teams } & {
  /** Of teams, by workspace: within one hub nobody loses an attempt. */
  readonly turns: KeyedMutex;
};

/** Who wants a change, and in which workspace. */
export interface InTeam {
  readonly workspace: Workspace;
  readonly userId: string;
  readonly by: AuditSource;
}

/** What came of a decision; without `store` nothing has to change. */
export interface Decided {
  readonly store?: { readonly change: TeamChange; readonly entry: AuditEntry };
}

/**
 * Decides on the team as it is, and stores that on the very same team; whoever was slower than another decides anew, on what
 * the other has left. So seats are exact and of two who remove each other one wins, on both databases.
 *
 * @param decide pure; throws a refusal
 */
export function changeTeam<Decision extends Decided>(
  { teams, turns }: TeamPorts,
  workspaceId: string,
  decide: (team: Team) => Decision,
): Promise<Decision> {
  return turns.take(`team ${workspaceId}`, () => decideAndStore(teams, workspaceId, decide));
}

async function decideAndStore<Decision extends Decided>(
  teams: Teams,
  workspaceId: string,
  decide: (team: Team) => Decision,
): Promise<Decision> {
  for (let attempts = 0; attempts < ATTEMPTS; attempts += 1) {
    const team = await teams.load(workspaceId);
    if (team === undefined) throw refuse('not_found', 'there is no such workspace');
    const decision = decide(team);
    const { store } = decision;
    if (store === undefined || (await teams.store(team, store.change, store.entry))) return decision;
  }
  throw refuse('unavailable', 'this team is being changed by too many at once');
}

/** What the audit log says of a change (decision 48). */
export function teamEntry(
  { workspace, by }: Pick<InTeam, 'workspace' | 'by'>,
  atMs: number,
  what: {
    readonly action: AuditAction;
    readonly target: AuditTarget;
    readonly details?: AuditEntry['details'];
  },
): AuditEntry {
  const { action, target, details = {} } = what;
  return { ...by, workspaceId: workspace.id, atMs, action, target, details };
}
