import type { AuditEntry } from '@svc/core/audit/entry';
import type { AuditTrail } from '../../audit/store/audit-trail.ts';
import type { Database } from '../../platform/db/database.ts';
import type {
  AccessToken,
  AgentToken,
  ApiKey,
  RotatedKey,
  TokenBinding,
  UsedApiKey,
} from '../account-ports.ts';
import { AccessTokens } from './access-tokens.ts';
import { AgentTokens } from './agent-tokens.ts';
import { ApiKeys } from './api-keys.ts';

/** Keys and tokens, each found by its hash in a unique index (decision 1, tokens). */
export class Credentials {
  readonly #apiKeys: ApiKeys;
  readonly #agentTokens: AgentTokens;
  readonly #accessTokens: AccessTokens;

  constructor(database: Database, trail: AuditTrail) {
    this.#apiKeys = new ApiKeys(database, trail);
    this.#agentTokens = new AgentTokens(database, trail);
    this.#accessTokens = new AccessTokens(database, trail);
  }

  /** Also finds a key by its previous token while that works; `expiresAtMs` is then the end of the previous token. */
  apiKeyByHash(hash: string): Promise<UsedApiKey | undefined> {
    return this.#apiKeys.byHash(hash);
  }

  agentTokenByHash(hash: string): Promise<AgentToken | undefined> {
    return this.#agentTokens.byHash(hash);
  }

  accessTokenByHash(hash: string): Promise<AccessToken | undefined> {
    return this.#accessTokens.byHash(hash);
  }

  /** False when the creator is no longer a member, because a key must not survive a concurrent removal (reference 3.4). */
  addApiKey(key: ApiKey, entry: AuditEntry): Promise<boolean> {
    return this.#apiKeys.add(key, entry);
  }

  addAgentToken(token: AgentToken, entry: AuditEntry): Promise<void> {
    return this.#agentTokens.add(token, entry);
  }

  addAccessToken(token: AccessToken, entry: AuditEntry): Promise<void> {
    return this.#accessTokens.add(token, entry);
  }

  apiKeysOf(workspaceId: string): Promise<UsedApiKey[]> {
    return this.#apiKeys.of(workspaceId);
  }

  agentTokensOf(workspaceId: string): Promise<AgentToken[]> {
    return this.#agentTokens.of(workspaceId);
  }

  /** Compare-and-set: false when the key was rotated or revoked since, or has expired. */
  rotateApiKey(key: ApiKey, to: RotatedKey, entry: AuditEntry): Promise<boolean> {
    return this.#apiKeys.rotate(key, to, entry);
  }

  /** Records a use of the key. */
  touchApiKey(id: string, nowMs: number): Promise<void> {
    return this.#apiKeys.touch(id, nowMs);
  }

  /** Revokes a credential; false when the workspace has no such row. */
  revokeApiKey(workspaceId: string, id: string, entry: AuditEntry): Promise<boolean> {
    return this.#apiKeys.revoke(workspaceId, id, entry);
  }

  /**
   * Binds a token to the agent name and the process of its first hello. Compare-and-set: `bound_already` when another
   * hello was first, `name_taken` when another valid token has the name.
   */
  bindAgentToken(
    token: AgentToken,
    to: TokenBinding,
    entry: AuditEntry,
  ): Promise<'stored' | 'bound_already' | 'name_taken'> {
    return this.#agentTokens.bind(token, to, entry);
  }

  /** Records the process of the first hello of a token that already has its names; the first process stays. */
  noteFirstInstance(tokenId: string, instance: string): Promise<void> {
    return this.#agentTokens.noteFirstInstance(tokenId, instance);
  }

  /** Records in the audit log that a token used an agent name that it may not use. */
  noteNameRefused(entry: AuditEntry): Promise<void> {
    return this.#agentTokens.noteNameRefused(entry);
  }

  /** The ids of the tokens that any hub has revoked since this time. */
  agentTokensRevokedSince(sinceMs: number): Promise<string[]> {
    return this.#agentTokens.revokedSince(sinceMs);
  }

  revokeAgentToken(workspaceId: string, id: string, entry: AuditEntry): Promise<boolean> {
    return this.#agentTokens.revoke(workspaceId, id, entry);
  }

  /** The valid sessions and access tokens of a user, in all workspaces. */
  accessTokensOf(userId: string, nowMs: number): Promise<AccessToken[]> {
    return this.#accessTokens.ofUser(userId, nowMs);
  }

  endAccessToken(id: string, entry: AuditEntry): Promise<void> {
    return this.#accessTokens.end(id, entry);
  }

  /** Records a use of the credential. */
  touchAccessToken(id: string, nowMs: number): Promise<void> {
    return this.#accessTokens.touch(id, nowMs);
  }

  /** Ends every session and access token of a user and raises their epoch everywhere (decision 44, sign-in). */
  endAllOfUser(userId: string, entry: AuditEntry): Promise<void> {
    return this.#accessTokens.endAllOfUser(userId, entry);
  }
}
