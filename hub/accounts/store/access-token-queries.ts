import { sql } from 'kysely';
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
  'full_expires_at_ms',
  'address',
  'bound_session_id',
] as const;

/** What turns a pending session into a full one. */
export interface ConfirmedSession {
  readonly id: string;
  readonly hash: string;
  readonly last4: string;
  readonly passkey_id: string | null;
  readonly now_ms: number;
}

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
    secondFactor: reading((it: { user_id: string }) =>
      build.selectFrom('users').select('second_factor_since_ms').where('id', '=', it.user_id),
    ),
    /** Changes nothing. Finds a user only if they have no second factor. */
    needsOneFactor: writing(
      (it: { user_id: string }) =>
        build
          .updateTable('users')
          .set((row) => ({ email: row.ref('email') }))
          .where('id', '=', it.user_id)
          .where('second_factor_since_ms', 'is', null),
      { unlessChanged: 'second_factor' },
    ),
    /** Changes nothing. */
    isOpen: writing(
      (it: { id: string; now_ms: number }) =>
        build
          .updateTable('access_tokens')
          .set((row) => ({ last4: row.ref('last4') }))
          .where('id', '=', it.id)
          .where('expires_at_ms', '>', it.now_ms),
      { unlessChanged: 'ended' },
    ),
    /** Changes nothing. Finds no member whose access tokens need a session from the provider of the workspace. */
    needsNoProvider: writing(
      (it: { workspace_id: string; user_id: string }) =>
        build
          .updateTable('members')
          .set((row) => ({ epoch: row.ref('epoch') }))
          .where('workspace_id', '=', it.workspace_id)
          .where('user_id', '=', it.user_id)
          .where((row) =>
            row.or([
              row('role', '=', sql.lit('owner')),
              row.not(
                row.exists(
                  row
                    .selectFrom('workspaces')
                    .select('workspaces.id')
                    .where('workspaces.id', '=', it.workspace_id)
                    .where('sign_in', 'is not', null)
                    .where((rule) =>
                      rule.or([
                        rule('sign_in', '=', sql.lit('required')),
                        rule('members.via_group', 'is not', null),
                      ]),
                    ),
                ),
              ),
            ]),
          ),
      { unlessChanged: 'needs_provider' },
    ),
    confirm: writing(
      (it: ConfirmedSession) =>
        build
          .updateTable('access_tokens')
          .set((row) => ({
            kind: 'session',
            hash: it.hash,
            last4: it.last4,
            passkey_id: it.passkey_id,
            used_at_ms: it.now_ms,
            expires_at_ms: row.fn.coalesce('full_expires_at_ms', 'expires_at_ms'),
            full_expires_at_ms: null,
          }))
          .where('id', '=', it.id)
          .where('kind', '=', 'pending')
          .where('expires_at_ms', '>', it.now_ms),
      { unlessChanged: 'over' },
    ),
    /** Ends the sessions of a user, pending ones too, except one. */
    endSessionsExcept: writing((it: { user_id: string; except_id: string; now_ms: number }) =>
      build
        .updateTable('access_tokens')
        .set({ expires_at_ms: it.now_ms })
        .where('user_id', '=', it.user_id)
        .where('kind', 'in', ['session', 'pending'])
        .where('id', '!=', it.except_id)
        .where('expires_at_ms', '>', it.now_ms),
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
    /** A program that has not asked for its token yet gets none. */
    denyCodes: writing((it: { user_id: string }) =>
      build
        .updateTable('device_codes')
        .set({ state: 'denied' })
        .where('user_id', '=', it.user_id)
        .where('state', '=', 'approved'),
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
