import type { AuditEntry } from '@svc/core/audit/entry';
import type { Credentials } from '../../accounts/store/credentials.ts';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { recordOf, rowOf } from '../../platform/db/unit/record-of-row.ts';
import type { Statement } from '../../platform/db/unit/statement.ts';
import type { Identity } from '../identity-ports.ts';
import type { ProviderSessionRow } from './table.ts';

/** Where a session of a browser came from. */
export interface ProviderSession {
  readonly id: string;
  readonly issuer: string;
  readonly subject: string;
  readonly sid: string | undefined;
  readonly userId: string;
  readonly expiresAtMs: number;
  /** The workspace whose provider it is; undefined: that of the hub. */
  readonly workspaceId: string | undefined;
  /** The sealed refresh token; undefined: the groups of the person are read at a sign-in only. */
  readonly sealedRefresh: string | undefined;
  /** When the groups were last read. */
  readonly checkedAtMs: number | undefined;
}

/** A session whose groups can be read again. */
export interface SessionToCheck extends Omit<ProviderSession, 'sid' | 'expiresAtMs'> {
  readonly sealedRefresh: string;
  readonly checkedAtMs: number;
}

/** The sessions of browsers that began at an OpenID provider of the hub or of a workspace. */
export class ProviderSessions {
  readonly #database: Database;
  readonly #auditWriter: AuditWriter;
  readonly #credentials: Pick<Credentials, 'endingAccessToken'>;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(
    database: Database,
    auditWriter: AuditWriter,
    credentials: Pick<Credentials, 'endingAccessToken'>,
  ) {
    this.#database = database;
    this.#auditWriter = auditWriter;
    this.#credentials = credentials;
    this.#queries = queriesOf(database);
  }

  /** Whether a session came from a provider. */
  async has(id: string): Promise<boolean> {
    return (await firstRow(this.#database, this.#queries.has({ id }))) !== undefined;
  }

  /** The statement that notes where a session came from, to be stored with it. */
  adding(session: ProviderSession): Statement<never> {
    return this.#queries.add(rowOf(session));
  }

  /**
   * The sessions that a sign-out at the provider of the hub, or of a workspace, ends: those of its session `sid`, or of everyone with the
   * subject. A session whose provider named no `sid` belongs to every session of its subject.
   */
  async endedBy(
    {
      issuer,
      subject,
      sid,
      workspaceId,
    }: Pick<ProviderSession, 'issuer' | 'sid' | 'workspaceId'> & { readonly subject: string | undefined },
    nowMs: number,
  ): Promise<{ readonly id: string; readonly userId: string }[]> {
    const { ofSubject, ofSid } = this.#queries;
    const now = { issuer, now_ms: nowMs };
    const query = subject === undefined ? ofSid({ ...now, sid: sid ?? '' }) : ofSubject({ ...now, subject });
    const rows = await this.#database.rows(query);
    return rows
      .filter((row) => (row.workspace_id ?? undefined) === workspaceId)
      .filter((row) => sid === undefined || row.sid === null || row.sid === sid)
      .map(({ id, user_id: userId }) => ({ id, userId }));
  }

  /** The open sessions whose groups were last read at this time or before, the oldest first. */
  async toCheck(checkedUntilMs: number, nowMs: number, limit: number): Promise<SessionToCheck[]> {
    const query = this.#queries.toCheck({ until_ms: checkedUntilMs, now_ms: nowMs, limit });
    const rows = await this.#database.rows(query);
    return rows.map((row) => {
      const { sealedRefresh = '', checkedAtMs = 0, ...session } = recordOf(row);
      return { ...session, sealedRefresh, checkedAtMs };
    });
  }

  /** Takes a check for this hub; false when another hub, or an earlier round, has it. */
  async claimCheck({ id, checkedAtMs }: SessionToCheck, nowMs: number): Promise<boolean> {
    const claim = { id, from_ms: checkedAtMs, now_ms: nowMs };
    return (await this.#database.commit([this.#queries.claimCheck(claim)])) === 'stored';
  }

  /** Stores the refresh token that replaces the one before. */
  async renewCheck(id: string, sealedRefresh: string): Promise<void> {
    await this.#database.commit([this.#queries.renewCheck({ id, sealed_refresh: sealedRefresh })]);
  }

  /** Ends sessions; without an entry for users who are in no workspace. */
  async end(ids: readonly string[], nowMs: number, entry: AuditEntry | undefined): Promise<void> {
    const unit = ids.map((id) => this.#credentials.endingAccessToken(id, nowMs));
    if (entry === undefined) await this.#database.commit(unit);
    else await this.#auditWriter.commit(unit, entry);
  }

  /**
   * The statements that end the sessions of a user that came from an identity, except one, which proves no groups any more.
   *
   * @param workspaceId the workspace whose provider knows the identity; undefined: that of the hub
   */
  endingThoseOf(
    { userId, issuer, subject }: Pick<Identity, 'userId' | 'issuer' | 'subject'>,
    { workspaceId, exceptId, nowMs }: { workspaceId: string | undefined; exceptId: string; nowMs: number },
  ): readonly Statement<never>[] {
    const of = { user_id: userId, issuer, subject, workspace_id: workspaceId ?? '' };
    const { endOfIdentity, endChecks } = this.#queries;
    return [endOfIdentity({ ...of, except_id: exceptId, now_ms: nowMs }), endChecks(of)];
  }
}

const SESSION_COLUMNS = [
  ...(['id', 'issuer', 'subject', 'sid', 'user_id', 'expires_at_ms'] as const),
  ...(['workspace_id', 'sealed_refresh', 'checked_at_ms'] as const),
];

interface OfIdentity {
  readonly user_id: string;
  readonly issuer: string;
  readonly subject: string;
  /** Empty: the provider of the hub. */
  readonly workspace_id: string;
}

function queriesOf({ build }: Database) {
  const sessions = build.selectFrom('provider_sessions').select(['id', 'user_id', 'sid', 'workspace_id']);
  return {
    add: writing((it: ProviderSessionRow) =>
      build.insertInto('provider_sessions').values(slotsOf(it, SESSION_COLUMNS)),
    ),
    has: reading((it: { id: string }) =>
      build.selectFrom('provider_sessions').select('id').where('id', '=', it.id),
    ),
    toCheck: reading((it: { until_ms: number; now_ms: number; limit: number }) =>
      build
        .selectFrom('provider_sessions as checked')
        .innerJoin('access_tokens', 'access_tokens.id', 'checked.id')
        .select(['checked.id', 'checked.issuer', 'checked.subject', 'checked.user_id'])
        .select(['checked.workspace_id', 'checked.sealed_refresh', 'checked.checked_at_ms'])
        .where('checked.sealed_refresh', 'is not', null)
        .where('checked.checked_at_ms', '<=', it.until_ms)
        .where('access_tokens.expires_at_ms', '>', it.now_ms)
        .orderBy('checked.checked_at_ms')
        .limit(it.limit),
    ),
    endOfIdentity: writing((it: OfIdentity & { except_id: string; now_ms: number }) =>
      build
        .updateTable('access_tokens')
        .set({ expires_at_ms: it.now_ms })
        .where('id', 'in', (row) =>
          row
            .selectFrom('provider_sessions')
            .select('provider_sessions.id')
            .where('provider_sessions.user_id', '=', it.user_id)
            .where('issuer', '=', it.issuer)
            .where('subject', '=', it.subject)
            .where((of) =>
              of(of.fn.coalesce('provider_sessions.workspace_id', of.val('')), '=', it.workspace_id),
            ),
        )
        .where('id', '!=', it.except_id)
        .where('expires_at_ms', '>', it.now_ms),
    ),
    endChecks: writing((it: OfIdentity) =>
      build
        .updateTable('provider_sessions')
        .set({ sealed_refresh: null, checked_at_ms: null })
        .where('user_id', '=', it.user_id)
        .where('issuer', '=', it.issuer)
        .where('subject', '=', it.subject)
        .where((row) => row(row.fn.coalesce('workspace_id', row.val('')), '=', it.workspace_id)),
    ),
    claimCheck: writing(
      (it: { id: string; from_ms: number; now_ms: number }) =>
        build
          .updateTable('provider_sessions')
          .set({ checked_at_ms: it.now_ms })
          .where('id', '=', it.id)
          .where('checked_at_ms', '=', it.from_ms),
      { unlessChanged: 'taken' },
    ),
    renewCheck: writing((it: { id: string; sealed_refresh: string }) =>
      build
        .updateTable('provider_sessions')
        .set({ sealed_refresh: it.sealed_refresh })
        .where('id', '=', it.id)
        // The person may have unlinked the sign-in meanwhile.
        .where('sealed_refresh', 'is not', null),
    ),
    ofSubject: reading((it: { issuer: string; subject: string; now_ms: number }) =>
      sessions
        .where('issuer', '=', it.issuer)
        .where('subject', '=', it.subject)
        .where('expires_at_ms', '>', it.now_ms),
    ),
    ofSid: reading((it: { issuer: string; sid: string; now_ms: number }) =>
      sessions
        .where('issuer', '=', it.issuer)
        .where('sid', '=', it.sid)
        .where('expires_at_ms', '>', it.now_ms),
    ),
  };
}
