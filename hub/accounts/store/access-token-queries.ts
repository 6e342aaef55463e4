import type { Database } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import type { AccessTokenRow } from './table.ts';

const COLUMNS = [
  'id',
  'kind',
  'user_id',
  'workspace_id',
  'hash',
  'last4',
  'created_at_ms',
  'expires_at_ms',
  'epoch',
  'name',
  'used_at_ms',
  'agent_since_ms',
  'passkey_id',
] as const;

export function accessTokenQueries({ build }: Database) {
  return {
    byHash: reading((it: { hash: string }) =>
      build.selectFrom('access_tokens').select(COLUMNS).where('hash', '=', it.hash),
    ),
    add: writing((it: AccessTokenRow) => build.insertInto('access_tokens').values(slotsOf(it, COLUMNS))),
    /** The first session of an account that SCIM made (decision 91, provisioning by SCIM). */
    noteEntered: writing((it: { user_id: string }) =>
      build.deleteFrom('unentered_accounts').where('user_id', '=', it.user_id),
    ),
    end: writing((it: { id: string; now_ms: number }) =>
      build
        .updateTable('access_tokens')
        .set({ expires_at_ms: it.now_ms })
        .where('id', '=', it.id)
        .where('expires_at_ms', '>', it.now_ms),
    ),
    endOfPasskey: writing((it: { passkey_id: string; except_id: string; now_ms: number }) =>
      build
        .updateTable('access_tokens')
        .set({ expires_at_ms: it.now_ms })
        .where('passkey_id', '=', it.passkey_id)
        .where('id', '!=', it.except_id)
        .where('expires_at_ms', '>', it.now_ms),
    ),
    markAgent: writing((it: { hash: string; now_ms: number }) =>
      build
        .updateTable('access_tokens')
        .set({ agent_since_ms: it.now_ms })
        .where('hash', '=', it.hash)
        .where('agent_since_ms', 'is', null),
    ),
    /** Ended tokens count too: an agent must not shed the mark by ending its token. */
    ofAgent: reading((it: { user_id: string }) =>
      build
        .selectFrom('access_tokens')
        .select('id')
        .where('user_id', '=', it.user_id)
        .where('agent_since_ms', 'is not', null)
        .limit(1),
    ),
    touch: writing((it: { id: string; now_ms: number }) =>
      build.updateTable('access_tokens').set({ used_at_ms: it.now_ms }).where('id', '=', it.id),
    ),
    ofUser: reading((it: { user_id: string; now_ms: number }) =>
      build
        .selectFrom('access_tokens')
        .select(COLUMNS)
        .where('user_id', '=', it.user_id)
        .where('expires_at_ms', '>', it.now_ms)
        .orderBy('id'),
    ),
    // An epoch is a revision of the team, so it never repeats, not even for a member who leaves and returns.
    raiseTeams: writing((it: { user_id: string }) =>
      build
        .updateTable('workspaces')
        .set((row) => ({ team_revision: row('team_revision', '+', 1) }))
        .where('id', 'in', (of) =>
          of.selectFrom('members').select('workspace_id').where('user_id', '=', it.user_id),
        ),
    ),
    raiseEpochs: writing((it: { user_id: string }) =>
      build
        .updateTable('members')
        .set((row) => ({
          epoch: row
            .selectFrom('workspaces')
            .select('team_revision')
            .whereRef('workspaces.id', '=', 'members.workspace_id')
            .$asScalar()
            .$notNull(),
        }))
        .where('user_id', '=', it.user_id),
    ),
    endAll: writing((it: { user_id: string; now_ms: number }) =>
      build
        .updateTable('access_tokens')
        .set({ expires_at_ms: it.now_ms })
        .where('user_id', '=', it.user_id)
        .where('expires_at_ms', '>', it.now_ms),
    ),
  };
}
