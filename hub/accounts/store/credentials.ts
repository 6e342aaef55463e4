import type { AuditEntry } from '@svc/core/audit/entry';
import type { AuditTrail } from '../../audit/store/audit-trail.ts';
import type { Database } from '../../platform/db/database.ts';
import type {
  AccessToken,
  AgentToken,
  ApiKey,
  Credentials,
  RotatedKey,
  TokenBinding,
  UsedApiKey,
} from '../account-ports.ts';
import { AccessTokens } from './access-tokens.ts';
import { AgentTokens } from './agent-tokens.ts';
import { ApiKeys } from './api-keys.ts';

/** Keys and tokens, each found by one look-up of its hash in a unique index (decision 1). */
export class StoredCredentials implements Credentials {
  readonly #apiKeys: ApiKeys;
  readonly #agentTokens: AgentTokens;
  readonly #accessTokens: AccessTokens;

  constructor(database: Database, trail: AuditTrail) {
    this.#apiKeys = new ApiKeys(database, trail);
    this.#agentTokens = new AgentTokens(database, trail);
    this.#accessTokens = new AccessTokens(database, trail);
  }

  apiKeyByHash(hash: string): Promise<UsedApiKey | undefined> {
    return this.#apiKeys.byHash(hash);
  }

  agentTokenByHash(hash: string): Promise<AgentToken | undefined> {
    return this.#agentTokens.byHash(hash);
  }

  accessTokenByHash(hash: string): Promise<AccessToken | undefined> {
    return this.#accessTokens.byHash(hash);
  }

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

  rotateApiKey(key: ApiKey, to: RotatedKey, entry: AuditEntry): Promise<boolean> {
    return this.#apiKeys.rotate(key, to, entry);
  }

  touchApiKey(id: string, nowMs: number): Promise<void> {
    return this.#apiKeys.touch(id, nowMs);
  }

  revokeApiKey(workspaceId: string, id: string, entry: AuditEntry): Promise<boolean> {
    return this.#apiKeys.revoke(workspaceId, id, entry);
  }

  bindAgentToken(
    token: AgentToken,
    to: TokenBinding,
    entry: AuditEntry,
  ): Promise<'stored' | 'bound_already' | 'name_taken'> {
    return this.#agentTokens.bind(token, to, entry);
  }

  noteFirstInstance(tokenId: string, instance: string): Promise<void> {
    return this.#agentTokens.noteFirstInstance(tokenId, instance);
  }

  noteNameRefused(entry: AuditEntry): Promise<void> {
    return this.#agentTokens.noteNameRefused(entry);
  }

  agentTokensRevokedSince(sinceMs: number): Promise<string[]> {
    return this.#agentTokens.revokedSince(sinceMs);
  }

  revokeAgentToken(workspaceId: string, id: string, entry: AuditEntry): Promise<boolean> {
    return this.#agentTokens.revoke(workspaceId, id, entry);
  }

  accessTokensOf(userId: string, nowMs: number): Promise<AccessToken[]> {
    return this.#accessTokens.ofUser(userId, nowMs);
  }

  endAccessToken(id: string, entry: AuditEntry): Promise<void> {
    return this.#accessTokens.end(id, entry);
  }

  touchAccessToken(id: string, nowMs: number): Promise<void> {
    return this.#accessTokens.touch(id, nowMs);
  }

  endAllOfUser(userId: string, entry: AuditEntry): Promise<void> {
    return this.#accessTokens.endAllOfUser(userId, entry);
  }
}
