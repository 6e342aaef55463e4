import type { Database } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import type { AlertRuleRow, CallbackSecretRow } from './table.ts';

const COLUMNS = [
  'id',
  'workspace_id',
  'name',
  'events',
  'slug',
  'agent_name',
  'channel',
  'sealed_target',
  'shown_target',
  'sealed_secret',
  'previous_secret',
  'previous_until_ms',
  'enabled',
  'created_by',
  'created_at_ms',
  'revision',
  'no_success_mins',
  'declared_by',
  'declared_as',
  'declared_token',
  'declared_instance',
] as const;
const CHANGEABLE = [
  'name',
  'events',
  'slug',
  'agent_name',
  'sealed_target',
  'shown_target',
  'sealed_secret',
  'previous_secret',
  'previous_until_ms',
  'enabled',
  'no_success_mins',
  'declared_token',
  'declared_instance',
] as const;
const SECRET_COLUMNS = ['workspace_id', 'sealed_secret', 'previous_secret', 'previous_until_ms'] as const;
/** A queue that is due within this time may be claimed by a hub, so a change of its rule leaves it alone. */
const CLAIMED_MS = 60_000;

type OfWorkspace = { readonly workspace_id: string };
type Key = OfWorkspace & { readonly id: string };

export function ruleQueries(database: Database) {
  return { ...ofRules(database), ...ofCallbacks(database), ...ofWhatWaits(database) };
}

function ofRules({ build }: Database) {
  const all = build.selectFrom('alert_rules').select(COLUMNS);
  // A declared rule goes with its endpoint, whichever hub removed it. The next registration deletes its row.
  const rules = all.where(({ or, eb, exists, selectFrom }) =>
    or([
      eb('declared_by', 'is', null),
      exists(
        selectFrom('endpoints')
          .select('endpoints.id')
          .whereRef('endpoints.id', '=', 'alert_rules.declared_by'),
      ),
    ]),
  );
  return {
    of: reading((it: OfWorkspace) => rules.where('workspace_id', '=', it.workspace_id).orderBy('id')),
    find: reading((it: Key) => rules.where('workspace_id', '=', it.workspace_id).where('id', '=', it.id)),
    declared: reading((it: OfWorkspace) =>
      build
        .selectFrom('alert_rules')
        .leftJoin('endpoints', 'endpoints.id', 'alert_rules.declared_by')
        .select(COLUMNS.map((column) => `alert_rules.${column}` as const))
        .select(['endpoints.id as endpoint_id', 'endpoints.registered_by'])
        .where('alert_rules.workspace_id', '=', it.workspace_id)
        .where('alert_rules.declared_by', 'is not', null)
        .orderBy('alert_rules.id'),
    ),
    add: writing((it: AlertRuleRow) => build.insertInto('alert_rules').values(slotsOf(it, COLUMNS))),
    declare: writing((it: AlertRuleRow) => build.insertInto('alert_rules').values(slotsOf(it, COLUMNS)), {
      ifExists: 'exists',
    }),
    change: writing(
      (it: AlertRuleRow) =>
        build
          .updateTable('alert_rules')
          .set((row) => ({ ...slotsOf(it, CHANGEABLE), revision: row('revision', '+', 1) }))
          .where('workspace_id', '=', it.workspace_id)
          .where('id', '=', it.id)
          .where('revision', '=', it.revision),
      { unlessChanged: 'changed' },
    ),
    remove: writing(
      (it: Key) =>
        build.deleteFrom('alert_rules').where('workspace_id', '=', it.workspace_id).where('id', '=', it.id),
      { unlessChanged: 'gone' },
    ),
  };
}

function ofCallbacks({ build }: Database) {
  return {
    callbackSecret: reading((it: OfWorkspace) =>
      build.selectFrom('callback_secrets').select(SECRET_COLUMNS).where('workspace_id', '=', it.workspace_id),
    ),
    setCallbackSecret: writing(
      (it: CallbackSecretRow & { instead_of: string }) =>
        build
          .insertInto('callback_secrets')
          .values(slotsOf(it, SECRET_COLUMNS))
          .onConflict((conflict) =>
            conflict
              .column('workspace_id')
              .doUpdateSet((row) => ({
                sealed_secret: row.ref('excluded.sealed_secret'),
                previous_secret: row.ref('excluded.previous_secret'),
                previous_until_ms: row.ref('excluded.previous_until_ms'),
              }))
              .where('callback_secrets.sealed_secret', '=', it.instead_of),
          ),
      { unlessChanged: 'overtaken' },
    ),
  };
}

function ofWhatWaits({ build }: Database) {
  return {
    hasten: writing((it: { id: string; now_ms: number }) =>
      build
        .updateTable('alert_lanes')
        .set({ due_at_ms: it.now_ms })
        .where('id', '=', it.id)
        .where((row) => row(row('due_at_ms', '-', CLAIMED_MS), '>', it.now_ms)),
    ),
    /** The rule is evaluated again: it may wait for another success, or for none. */
    forgetMissing: writing((it: { rule_id: string }) =>
      build.deleteFrom('missing_successes').where('rule_id', '=', it.rule_id),
    ),
    removeQueue: writing((it: { id: string }) => build.deleteFrom('alert_lanes').where('id', '=', it.id)),
    removeDeliveries: writing((it: Key) =>
      build
        .deleteFrom('alert_deliveries')
        .where('workspace_id', '=', it.workspace_id)
        .where('rule_id', '=', it.id),
    ),
  };
}
