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

/** Keys and tokens, each found by one look-up of its hash in a unique index (decision 1). */
export class Credentials {
  readonly #apiKeys: ApiKeys;
  readonly #agentTokens: AgentTokens;
  readonly #accessTokens: AccessTokens;

  constructor(database: Database, trail: AuditTrail) {
    this.#apiKeys = new ApiKeys(database, trail);
    this.#agentTokens = new AgentTokens(database, trail);
    this.#accessTokens = new AccessTokens(database, trail);
  }

  /** Also by the token before the last rotation, while that works: then `expiresAtMs` is when it stops. */
  apiKeyByHash(hash: string): Promise<UsedApiKey | undefined> {
    return this.#apiKeys.byHash(hash);
  }

  agentTokenByHash(hash: string): Promise<AgentToken | undefined> {
    return this.#agentTokens.byHash(hash);
  }

  accessTokenByHash(hash: string): Promise<AccessToken | undefined> {
    return this.#accessTokens.byHash(hash);
  }

  /** False when its maker is no member any more: a key must not outlive a removal that came in between (reference 3.4). */
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

  /** Compare-and-set: false when it was rotated or revoked meanwhile, or has expired. */
  rotateApiKey(key: ApiKey, to: RotatedKey, entry: AuditEntry): Promise<boolean> {
    return this.#apiKeys.rotate(key, to, entry);
  }

  /** It was used just now. */
  touchApiKey(id: string, nowMs: number): Promise<void> {
    return this.#apiKeys.touch(id, nowMs);
  }

  /** False when there is no such row in the workspace. */
  revokeApiKey(workspaceId: string, id: string, entry: AuditEntry): Promise<boolean> {
    return this.#apiKeys.revoke(workspaceId, id, entry);
  }

  /**
   * The first hello of a token binds it to its agent name and notes its process. Compare-and-set: `bound_already` when another
   * hello was first, `name_taken` when another living token has the name by then.
   */
  bindAgentToken(
    token: AgentToken,
    to: TokenBinding,
    entry: AuditEntry,
  ): Promise<'stored' | 'bound_already' | 'name_taken'> {
    return this.#agentTokens.bind(token, to, entry);
  }

  /** Notes the process of the first hello of a token that has its names already; the first one stays. */
  noteFirstInstance(tokenId: string, instance: string): Promise<void> {
    return this.#agentTokens.noteFirstInstance(tokenId, instance);
  }

  /** Puts on record that a token came under a name that it may not use. */
  noteNameRefused(entry: AuditEntry): Promise<void> {
    return this.#agentTokens.noteNameRefused(entry);
  }

  /** The ids of those that were revoked from this moment on, by whichever hub. */
  agentTokensRevokedSince(sinceMs: number): Promise<string[]> {
    return this.#agentTokens.revokedSince(sinceMs);
  }

  revokeAgentToken(workspaceId: string, id: string, entry: AuditEntry): Promise<boolean> {
    return this.#agentTokens.revoke(workspaceId, id, entry);
  }

  /** Those of a user that are not over: sessions, and tokens of all their workspaces. */
  accessTokensOf(userId: string, nowMs: number): Promise<AccessToken[]> {
    return this.#accessTokens.ofUser(userId, nowMs);
  }

  endAccessToken(id: string, entry: AuditEntry): Promise<void> {
    return this.#accessTokens.end(id, entry);
  }

  /** It was seen just now. */
  touchAccessToken(id: string, nowMs: number): Promise<void> {
    return this.#accessTokens.touch(id, nowMs);
  }

  /** Ends every session and access token of a user and raises their epoch everywhere (decision 44). */
  endAllOfUser(userId: string, entry: AuditEntry): Promise<void> {
    return this.#accessTokens.endAllOfUser(userId, entry);
  }
}
