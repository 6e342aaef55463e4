import { ruleQueue } from '@svc/core/alert/delivery-queue';
import type { AlertEventName } from '@svc/core/alert/event';
import type { AuditEntry } from '@svc/core/audit/entry';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { cursorAfter, idOfCursor } from '../../platform/db/reading/walk.ts';
import { once } from '../../platform/db/unit/precompile.ts';
import { makingStale, type UnitOfWork } from '../../platform/db/unit/statement.ts';
import type {
  AlertRule,
  DeclaredBy,
  DeclaredRule,
  DeliveryFilter,
  LoggedDelivery,
  SigningSecret,
} from '../alert-ports.ts';
import { ruleQueries } from './rule-queries.ts';
import type { AlertRuleRow, CallbackSecretRow } from './table.ts';

export class AlertRules {
  readonly #database: Database;
  readonly #auditWriter: Pick<AuditWriter, 'commit'>;
  readonly #queries: ReturnType<typeof ruleQueries>;

  constructor(database: Database, auditWriter: Pick<AuditWriter, 'commit'>) {
    this.#database = database;
    this.#auditWriter = auditWriter;
    this.#queries = ruleQueries(database);
  }

  async of(workspaceId: string): Promise<AlertRule[]> {
    return (await this.#database.rows(this.#queries.of({ workspace_id: workspaceId }))).map(ruleOf);
  }

  async find(workspaceId: string, id: string): Promise<AlertRule | undefined> {
    const row = await firstRow(this.#database, this.#queries.find({ workspace_id: workspaceId, id }));
    return row && ruleOf(row);
  }

  async add(rule: AlertRule, entry: AuditEntry): Promise<void> {
    await this.#auditWriter.commit(
      makingEventsStale([this.#queries.add(rowOf(rule))], rule.workspaceId),
      entry,
    );
  }

  /** The declared rules of a workspace, also those whose endpoint was removed. */
  async declared(workspaceId: string): Promise<DeclaredRule[]> {
    const rows = await this.#database.rows(this.#queries.declared({ workspace_id: workspaceId }));
    return rows.map((row) => ({
      rule: ruleOf(row),
      registeredBy: row.endpoint_id === null ? undefined : (row.registered_by ?? undefined),
    }));
  }

  /** Adds a rule unless another hub has just added it: the id of a declared rule derives from its declaration. */
  async declare(rule: AlertRule, entry: AuditEntry): Promise<void> {
    await this.#auditWriter.commit(
      makingEventsStale([this.#queries.declare(rowOf(rule))], rule.workspaceId),
      entry,
    );
  }

  /**
   * Compare-and-set on the revision: false when the rule has changed or is gone. Its waiting deliveries are due at once.
   *
   * @param isWatchRestarted an alert that was sent about a missing success no longer counts
   */
  async change(rule: AlertRule, entry: AuditEntry, isWatchRestarted = false): Promise<boolean> {
    const { change, hasten, forgetMissing } = this.#queries;
    const unit = makingEventsStale(
      [
        change(rowOf(rule)),
        hasten({ id: ruleQueue(rule.id), now_ms: entry.atMs }),
        ...(isWatchRestarted ? [forgetMissing({ rule_id: rule.id })] : []),
      ],
      rule.workspaceId,
    );
    return (await this.#auditWriter.commit(unit, entry)) === 'stored';
  }

  /** Removes the rule with its log and its waiting deliveries; false when it is gone. */
  async remove(workspaceId: string, id: string, entry: AuditEntry): Promise<boolean> {
    const { remove, removeQueue, removeDeliveries, forgetMissing } = this.#queries;
    const key = { workspace_id: workspaceId, id };
    const unit = [
      remove(key),
      removeQueue({ id: ruleQueue(id) }),
      removeDeliveries(key),
      forgetMissing({ rule_id: id }),
    ];
    return (await this.#auditWriter.commit(makingEventsStale(unit, workspaceId), entry)) === 'stored';
  }

  /** The secret that signs the callbacks of a workspace; undefined: none was created yet. */
  async callbackSecret(workspaceId: string): Promise<SigningSecret | undefined> {
    const row = await firstRow(this.#database, this.#queries.callbackSecret({ workspace_id: workspaceId }));
    return row && secretOf(row);
  }

  /** Compare-and-set: false when another request has replaced the secret since it was read. */
  async setCallbackSecret(
    workspaceId: string,
    secret: SigningSecret,
    insteadOf: SigningSecret | undefined,
    entry: AuditEntry,
  ): Promise<boolean> {
    const row = { workspace_id: workspaceId, ...secretRow(secret), sealed_secret: secret.sealed };
    const unit = [this.#queries.setCallbackSecret({ ...row, instead_of: insteadOf?.sealed ?? '' })];
    return (await this.#auditWriter.commit(unit, entry)) === 'stored';
  }

  /** The log of deliveries, newest first. `ruleId` undefined: callbacks. */
  deliveries(filter: DeliveryFilter) {
    return deliveryLog(this.#database, filter);
  }
}

/** Every hub forgets which events the rules of the workspace want, with its endpoints. */
function makingEventsStale<Tag extends string>(unit: UnitOfWork<Tag>, workspaceId: string): UnitOfWork<Tag> {
  return makingStale(unit, { kind: 'endpoints', workspaceId });
}

function ruleOf(row: AlertRuleRow): AlertRule {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    events: JSON.parse(row.events) as AlertEventName[],
    slug: row.slug ?? undefined,
    agentName: row.agent_name ?? undefined,
    channel: row.channel,
    sealedTarget: row.sealed_target,
    shownTarget: row.shown_target,
    secret: row.sealed_secret === null ? undefined : secretOf({ ...row, sealed_secret: row.sealed_secret }),
    isEnabled: row.enabled === 1,
    noSuccessMins: row.no_success_mins ?? undefined,
    declared: declaredBy(row),
    createdBy: row.created_by,
    createdAtMs: row.created_at_ms,
    revision: row.revision,
  };
}

function declaredBy(row: AlertRuleRow): DeclaredBy | undefined {
  if (row.declared_by === null) return undefined;
  return {
    endpointId: row.declared_by,
    key: row.declared_as ?? '',
    tokenId: row.declared_token ?? '',
    instance: row.declared_instance ?? '',
  };
}

function rowOf(rule: AlertRule): AlertRuleRow {
  return {
    id: rule.id,
    workspace_id: rule.workspaceId,
    name: rule.name,
    events: JSON.stringify(rule.events),
    slug: rule.slug ?? null,
    agent_name: rule.agentName ?? null,
    channel: rule.channel,
    sealed_target: rule.sealedTarget,
    shown_target: rule.shownTarget,
    ...secretRow(rule.secret),
    enabled: rule.isEnabled ? 1 : 0,
    created_by: rule.createdBy,
    created_at_ms: rule.createdAtMs,
    revision: rule.revision,
    no_success_mins: rule.noSuccessMins ?? null,
    declared_by: rule.declared?.endpointId ?? null,
    declared_as: rule.declared?.key ?? null,
    declared_token: rule.declared?.tokenId ?? null,
    declared_instance: rule.declared?.instance ?? null,
  };
}

type SecretRow = Omit<CallbackSecretRow, 'workspace_id'>;

function secretOf({ sealed_secret: sealed, previous_secret, previous_until_ms }: SecretRow): SigningSecret {
  if (previous_secret === null) return { sealed, previous: undefined };
  return { sealed, previous: { sealed: previous_secret, untilMs: previous_until_ms ?? 0 } };
}

function secretRow(secret: SigningSecret | undefined) {
  return {
    sealed_secret: secret?.sealed ?? null,
    previous_secret: secret?.previous?.sealed ?? null,
    previous_until_ms: secret?.previous?.untilMs ?? null,
  };
}

/** The log of deliveries, newest first. */
async function deliveryLog(
  database: Database,
  filter: DeliveryFilter,
): Promise<{ items: LoggedDelivery[]; nextCursor: string | undefined }> {
  // One extra row shows whether there is another page.
  const rows = await database.reader.rows(once(pageQuery(database, filter)));
  const page = rows.slice(0, filter.limit);
  const last = rows.length > filter.limit ? page.at(-1) : undefined;
  return { items: page.map(loggedOf), nextCursor: last && cursorAfter(last.event_id) };
}

function pageQuery({ build }: Database, { workspaceId, ruleId, cursor, limit }: DeliveryFilter) {
  const page = build
    .selectFrom('alert_deliveries as d')
    // The mail outbox has the state of mailed alerts.
    .leftJoin('mails as m', 'm.id', 'd.id')
    .select([
      'd.id',
      'd.event_id',
      'd.event_name',
      'd.state',
      'd.tries',
      'd.created_at_ms',
      'd.tried_at_ms',
      'd.next_at_ms',
      'd.response_status',
      'd.error',
      'm.sent_at_ms as mail_sent_at_ms',
      'm.next_at_ms as mail_next_at_ms',
      'm.tries as mail_tries',
      'm.error as mail_error',
    ])
    .where('d.workspace_id', '=', workspaceId)
    .where('d.rule_id', ruleId === undefined ? 'is' : '=', ruleId ?? null)
    // Mails to members have no rule either.
    .where('d.lane', 'not like', 'member %')
    .orderBy('d.event_id', 'desc')
    .limit(limit + 1);
  return cursor === undefined ? page : page.where('d.event_id', '<', idOfCursor(cursor));
}

type LogRow = ReturnType<typeof pageQuery> extends { execute(): Promise<(infer Row)[]> } ? Row : never;

function loggedOf(row: LogRow): LoggedDelivery {
  const common = { id: row.id, event: row.event_name, createdAtMs: row.created_at_ms };
  return row.state === 'mailed'
    ? { ...common, ...mailed(row) }
    : {
        ...common,
        state: row.state,
        tries: row.tries,
        triedAtMs: row.tried_at_ms ?? undefined,
        nextAtMs: row.next_at_ms ?? undefined,
        responseStatus: row.response_status ?? undefined,
        error: row.error ?? undefined,
      };
}

/** The mail outbox counts only failed attempts. */
function mailed(row: LogRow): Omit<LoggedDelivery, 'id' | 'event' | 'createdAtMs'> {
  const sentAtMs = row.mail_sent_at_ms ?? undefined;
  const isSent = sentAtMs !== undefined;
  return {
    state: isSent ? 'delivered' : 'waiting',
    tries: (row.mail_tries ?? 0) + (isSent ? 1 : 0),
    triedAtMs: sentAtMs,
    nextAtMs: isSent ? undefined : (row.mail_next_at_ms ?? undefined),
    responseStatus: undefined,
    error: isSent ? undefined : (row.mail_error ?? undefined),
  };
}
