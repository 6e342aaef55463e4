import type { AuditAction } from '@svc/core/audit/actions';
import type { AuditEntry, AuditSource, AuditTarget } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import type { Team } from '@svc/core/team/team';
import type { Workspace } from '../accounts/account-ports.ts';
import type { Statement } from '../platform/db/unit/statement.ts';
import type { KeyedMutex } from '../platform/keyed-mutex.ts';
import type { TeamChange } from './store/team-change.ts';
import type { Teams } from './store/team-store.ts';

/** The number of attempts. Each lost attempt means that another hub stored a change first. */
const ATTEMPTS = 200;

export type TeamDeps = { readonly teams: Teams } & {
  /** Serializes changes per workspace, so that requests on one hub never lose an attempt to each other. */
  readonly mutex: KeyedMutex;
};

/** The member who requests a change, and the workspace. */
export interface InTeam {
  readonly workspace: Workspace;
  readonly userId: string;
  readonly by: AuditSource;
}

/** The result of a decision; without `store` there is nothing to change. */
export interface Decided {
  readonly store?: {
    readonly change: TeamChange;
    readonly entry: AuditEntry;
    /** More rows that change only together with the team. */
    readonly alongside?: readonly Statement[];
  };
}

/**
 * Decides on the loaded team and stores the change by compare-and-set. When another request was first, it decides again on
 * the new team. Seats are therefore exact, and of two admins who remove each other one wins, on both databases.
 *
 * @param decide may throw a refusal. Beside the team it reads only rows that change together with the team; it reads them after the
 *   team, so a decision on outdated ones is not stored
 */
export function changeTeam<Decision extends Decided>(
  { teams, mutex }: TeamDeps,
  workspaceId: string,
  decide: (team: Team) => Decision | Promise<Decision>,
): Promise<Decision> {
  return mutex.take(`team ${workspaceId}`, () => decideAndStore(teams, workspaceId, decide));
}

async function decideAndStore<Decision extends Decided>(
  teams: Teams,
  workspaceId: string,
  decide: (team: Team) => Decision | Promise<Decision>,
): Promise<Decision> {
  for (let attempts = 0; attempts < ATTEMPTS; attempts += 1) {
    const team = await teams.load(workspaceId);
    if (team === undefined) throw refuse('not_found', 'there is no such workspace');
    const decision = await decide(team);
    const { store } = decision;
    if (store === undefined || (await teams.store(team, store.change, store.entry, store.alongside)))
      return decision;
  }
  throw refuse('unavailable', 'this team is being changed by too many at once');
}

/** The audit entry of a change (decision 48, the audit log). */
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
