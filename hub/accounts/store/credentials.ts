import type { AuditEntry } from '@svc/core/audit/entry';
import { isOfAiClient } from '@svc/core/token/ai-client-key';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { recordOf, rowOf } from '../../platform/db/unit/record-of-row.ts';
import { makingStale, type Statement } from '../../platform/db/unit/statement.ts';
import type {
  AccessToken,
  AgentToken,
  ApiKey,
  RotatedKey,
  TokenBinding,
  UsedApiKey,
} from '../account-ports.ts';
import { accessTokenQueries, type ConfirmedSession } from './access-token-queries.ts';
import { agentTokenOf, agentTokenQueries, rowOfToken } from './agent-token-queries.ts';
import { apiKeyOf, apiKeyQueries, previousKeyOf, rowOfKey } from './api-key-queries.ts';

const NONE = { fullExpiresAtMs: undefined, address: undefined, boundSessionId: undefined };

/** Keys and tokens, each found by its hash in a unique index (decision 1, tokens). */
export class Credentials {
  readonly #database: Database;
  readonly #auditWriter: AuditWriter;
  readonly #keys: ReturnType<typeof apiKeyQueries>;
  readonly #agentTokens: ReturnType<typeof agentTokenQueries>;
  readonly #accessTokens: ReturnType<typeof accessTokenQueries>;

  constructor(database: Database, auditWriter: AuditWriter) {
    this.#database = database;
    this.#auditWriter = auditWriter;
    this.#keys = apiKeyQueries(database);
    this.#agentTokens = agentTokenQueries(database);
    this.#accessTokens = accessTokenQueries(database);
  }

  /** Also finds a key by its previous token while that works; `expiresAtMs` is then the end of the previous token. */
  async apiKeyByHash(hash: string): Promise<UsedApiKey | undefined> {
    const row = await firstRow(this.#database, this.#keys.byHash({ hash }));
    return row && (row.hash === hash ? apiKeyOf(row) : previousKeyOf(row));
  }

  async apiKeysOf(workspaceId: string): Promise<UsedApiKey[]> {
    const rows = await this.#database.reader.rows(this.#keys.ofWorkspace({ workspace_id: workspaceId }));
    return rows.map(apiKeyOf);
  }

  /** False when the creator is no longer a member, because a key must not survive a concurrent removal (reference 3.4). */
  async addApiKey(key: ApiKey, entry: AuditEntry): Promise<boolean> {
    return (await this.#auditWriter.commit(this.addingApiKey(key), entry)) === 'stored';
  }

  /** The statements that add a key, for a larger unit of work; `no_member`: its creator is no longer a member. */
  addingApiKey(key: ApiKey): readonly Statement<'no_member'>[] {
    const row = rowOfKey(key);
    return [this.#keys.add(row), this.#keys.byMember(row)];
  }

  /** Compare-and-set: false when the key was rotated or revoked since, or has expired. */
  async rotateApiKey(key: ApiKey, to: RotatedKey, entry: AuditEntry): Promise<boolean> {
    const { id, hash, last4 } = key;
    const rotation = { id, from_hash: hash, from_last4: last4, hash: to.hash, last4: to.last4 };
    const unit = [this.#keys.rotate({ ...rotation, until_ms: to.previousUntilMs, now_ms: entry.atMs })];
    return (await this.#auditWriter.commit(makingStale(unit, { kind: 'key', id }), entry)) === 'stored';
  }

  /** Records a use of the key. */
  async touchApiKey(id: string, nowMs: number): Promise<void> {
    await this.#database.commit([this.#keys.touch({ id, now_ms: nowMs })]);
  }

  /** Records that an AI agent has the API key or personal access token with this hash. */
  async markAgent(hash: string, nowMs: number): Promise<void> {
    const mark = { hash, now_ms: nowMs };
    await this.#database.commit([this.#keys.markAgent(mark), this.#accessTokens.markAgent(mark)]);
  }

  /**
   * Whether an AI agent may have the key. An AI client has one by its grant. Any other agent has used the key at `/mcp`, or has an
   * access token of the user who made the key, and can have made the key with it. Only a session makes keys of service accounts.
   */
  async isAgentKey(id: string): Promise<boolean> {
    const row = await firstRow(this.#database, this.#keys.agentFacts({ id }));
    if (row === undefined) return false;
    if (row.agent_since_ms !== null || isOfAiClient(row)) return true;
    return row.service_account_id === null && (await this.hasAgentToken(row.created_by));
  }

  /** Whether an AI agent has, or had, a personal access token of the user. */
  async hasAgentToken(userId: string): Promise<boolean> {
    return (await firstRow(this.#database, this.#accessTokens.ofAgent({ user_id: userId }))) !== undefined;
  }

  /** Revokes a credential; false when the workspace has no such row. */
  async revokeApiKey(workspaceId: string, id: string, entry: AuditEntry): Promise<boolean> {
    const revocation = { workspace_id: workspaceId, id, now_ms: entry.atMs };
    const unit = makingStale([this.#keys.revoke(revocation)], { kind: 'key', id });
    return (await this.#auditWriter.commit(unit, entry)) === 'stored';
  }

  /** The statement that revokes a key if there is one, for a larger unit of work. */
  revokingApiKey(it: {
    readonly workspace_id: string;
    readonly id: string;
    readonly now_ms: number;
  }): Statement<never> {
    return this.#keys.revokeIfAny(it);
  }

  async agentTokenByHash(hash: string): Promise<AgentToken | undefined> {
    const row = await firstRow(this.#database, this.#agentTokens.byHash({ hash }));
    return row && agentTokenOf(row);
  }

  async agentTokensOf(workspaceId: string): Promise<AgentToken[]> {
    const ofWorkspace = this.#agentTokens.ofWorkspace({ workspace_id: workspaceId });
    return (await this.#database.reader.rows(ofWorkspace)).map(agentTokenOf);
  }

  async addAgentToken(token: AgentToken, entry: AuditEntry): Promise<void> {
    await this.#auditWriter.commit([this.#agentTokens.add(rowOfToken(token))], entry);
  }

  /**
   * Binds a token to the agent name and the process of its first hello. Compare-and-set: `bound_already` when another
   * hello was first, `name_taken` when another valid token has the name.
   */
  async bindAgentToken(
    { id, workspaceId }: AgentToken,
    { agentName, instance }: TokenBinding,
    entry: AuditEntry,
  ): Promise<'stored' | 'bound_already' | 'name_taken'> {
    const it = { workspace_id: workspaceId, id, agent_name: agentName, instance, now_ms: entry.atMs };
    // The audit entry comes first, which serializes the bindings of one workspace.
    return await this.#auditWriter.commit(
      [this.#agentTokens.bind(it), this.#agentTokens.isOnlyOne(it)],
      entry,
    );
  }

  /**
   * Replaces an enrolment token by the agent token that it was exchanged for. False when another request was first, or when
   * it has expired or was revoked meanwhile.
   */
  async enrolAgent(
    { id, hash: old_hash }: AgentToken,
    { hash, last4 }: Pick<AgentToken, 'hash' | 'last4'>,
    entry: AuditEntry,
  ): Promise<boolean> {
    const enrolment = { id, old_hash, hash, last4, now_ms: entry.atMs };
    return (await this.#auditWriter.commit([this.#agentTokens.enrol(enrolment)], entry)) === 'stored';
  }

  /** Records the process of the first hello of a token that already has its names; the first process stays. */
  async noteFirstInstance(id: string, instance: string): Promise<void> {
    await this.#database.commit([this.#agentTokens.noteFirstInstance({ id, instance })]);
  }

  /** Records in the audit log that a token used an agent name that it may not use. */
  async noteNameRefused(entry: AuditEntry): Promise<void> {
    await this.#auditWriter.commit([], entry);
  }

  /** The ids of the tokens that any hub has revoked since this time. */
  async agentTokensRevokedSince(sinceMs: number): Promise<string[]> {
    const rows = await this.#database.rows(this.#agentTokens.revokedSince({ since_ms: sinceMs }));
    return rows.map(({ id }) => id);
  }

  async revokeAgentToken(workspaceId: string, id: string, entry: AuditEntry): Promise<boolean> {
    const revocation = { workspace_id: workspaceId, id, now_ms: entry.atMs };
    return (await this.#auditWriter.commit([this.#agentTokens.revoke(revocation)], entry)) === 'stored';
  }

  async accessTokenByHash(hash: string): Promise<AccessToken | undefined> {
    const row = await firstRow(this.#database, this.#accessTokens.byHash({ hash }));
    return row && recordOf(row);
  }

  /** The valid sessions and access tokens of a user, in all workspaces. */
  async accessTokensOf(userId: string, nowMs: number): Promise<AccessToken[]> {
    const ofUser = this.#accessTokens.ofUser({ user_id: userId, now_ms: nowMs });
    return (await this.#database.reader.rows(ofUser)).map(recordOf);
  }

  /**
   * @param alongside what is stored in the same transaction
   * @returns `stored`, or the tag of an expectation of `alongside` that was not met; then nothing is stored
   */
  async addAccessToken<Tag extends string>(
    token: AccessToken,
    entry: AuditEntry,
    alongside: readonly Statement<Tag>[] = [],
  ): Promise<Tag | 'stored'> {
    const entered = this.#accessTokens.noteEntered({ user_id: token.userId });
    return await this.#auditWriter.commit([this.addingAccessToken(token), entered, ...alongside], entry);
  }

  /** The statement that adds a token, for a larger unit of work. */
  addingAccessToken(token: AccessToken): Statement<never> {
    return this.#accessTokens.add(rowOf({ ...NONE, ...token }));
  }

  /** Whether a user has a second factor (decision 100, second factor). */
  async hasSecondFactor(userId: string): Promise<boolean> {
    const row = await firstRow(this.#database, this.#accessTokens.secondFactor({ user_id: userId }));
    return row !== undefined && row.second_factor_since_ms !== null;
  }

  /** The statement that refuses a unit of work with `second_factor` when a user has a second factor. */
  needingOneFactor(userId: string): Statement<'second_factor'> {
    return this.#accessTokens.needsOneFactor({ user_id: userId });
  }

  /**
   * The expectation, for the unit that adds an access token, that its workspace does not demand a session from its provider. A
   * token that was made in such a session meets it in any case.
   */
  needingNoProvider({
    workspaceId = '',
    userId,
    boundSessionId,
  }: Pick<AccessToken, 'workspaceId' | 'userId' | 'boundSessionId'>): readonly Statement<'needs_provider'>[] {
    if (boundSessionId !== undefined) return [];
    return [this.#accessTokens.needsNoProvider({ workspace_id: workspaceId, user_id: userId })];
  }

  /** The expectation that a session has not ended, for a unit that gives its person another way to sign in. */
  stayingOpen(sessionId: string, nowMs: number): Statement<'ended'> {
    return this.#accessTokens.isOpen({ id: sessionId, now_ms: nowMs });
  }

  /** The statement that turns a pending session into a full one with a new token. `over`: the session has ended, or is full already. */
  confirmingSession(confirmed: ConfirmedSession): Statement<'over'> {
    return this.#accessTokens.confirm(confirmed);
  }

  /** The statement that ends the sessions of a user, pending ones too, except one. */
  endingSessionsExcept(it: {
    readonly user_id: string;
    readonly except_id: string;
    readonly now_ms: number;
  }): Statement<never> {
    return this.#accessTokens.endSessionsExcept(it);
  }

  /** The statement that ends a session or token if it has not ended, for a larger unit of work. */
  endingAccessToken(id: string, nowMs: number): Statement<never> {
    return this.#accessTokens.end({ id, now_ms: nowMs });
  }

  /** The statement that ends the sessions that began with a passkey, except one. */
  endingSessionsOfPasskey(it: {
    readonly passkey_id: string;
    readonly except_id: string;
    readonly now_ms: number;
  }): Statement<never> {
    return this.#accessTokens.endOfPasskey(it);
  }

  async endAccessToken(id: string, entry: AuditEntry): Promise<void> {
    await this.#auditWriter.commit([this.#accessTokens.end({ id, now_ms: entry.atMs })], entry);
  }

  /** Ends the sessions of a user, pending ones too, except one. */
  async endSessionsExcept(userId: string, exceptId: string, entry: AuditEntry): Promise<void> {
    const ended = { user_id: userId, except_id: exceptId, now_ms: entry.atMs };
    await this.#auditWriter.commit([this.endingSessionsExcept(ended)], entry);
  }

  /** Records a use of the credential. */
  async touchAccessToken(id: string, nowMs: number): Promise<void> {
    await this.#database.commit([this.#accessTokens.touch({ id, now_ms: nowMs })]);
  }

  /** Ends every session and access token of a user and raises their epoch everywhere (decision 44, sign-in). */
  async endAllOfUser(userId: string, entry: AuditEntry): Promise<void> {
    const { raiseTeams, raiseEpochs, endAll, denyCodes } = this.#accessTokens;
    const user = { user_id: userId };
    const ended = endAll({ ...user, now_ms: entry.atMs });
    const unit = [raiseTeams(user), raiseEpochs(user), ended, denyCodes(user)];
    await this.#auditWriter.commit(unit, entry);
  }
}
