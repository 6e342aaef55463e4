import type { AccessToken, AgentToken, ApiKey, Credentials } from '../../engine/ports/accounts.ts';
import type { Database } from '../database.ts';
import { AccessTokens } from './access-tokens.ts';
import { AgentTokens } from './agent-tokens.ts';
import { ApiKeys } from './api-keys.ts';

/** Keys and tokens, each found by one look-up of its hash in a unique index (decision 1). */
export class StoredCredentials implements Credentials {
  readonly #apiKeys: ApiKeys;
  readonly #agentTokens: AgentTokens;
  readonly #accessTokens: AccessTokens;

  constructor(database: Database) {
    this.#apiKeys = new ApiKeys(database);
    this.#agentTokens = new AgentTokens(database);
    this.#accessTokens = new AccessTokens(database);
  }

  apiKeyByHash(hash: string): Promise<ApiKey | undefined> {
    return this.#apiKeys.byHash(hash);
  }

  agentTokenByHash(hash: string): Promise<AgentToken | undefined> {
    return this.#agentTokens.byHash(hash);
  }

  accessTokenByHash(hash: string): Promise<AccessToken | undefined> {
    return this.#accessTokens.byHash(hash);
  }

  addApiKey(key: ApiKey): Promise<void> {
    return this.#apiKeys.add(key);
  }

  addAgentToken(token: AgentToken): Promise<void> {
    return this.#agentTokens.add(token);
  }

  addAccessToken(token: AccessToken): Promise<void> {
    return this.#accessTokens.add(token);
  }

  apiKeysOf(workspaceId: string): Promise<ApiKey[]> {
    return this.#apiKeys.of(workspaceId);
  }

  agentTokensOf(workspaceId: string): Promise<AgentToken[]> {
    return this.#agentTokens.of(workspaceId);
  }

  revokeApiKey(workspaceId: string, id: string, nowMs: number): Promise<boolean> {
    return this.#apiKeys.revoke(workspaceId, id, nowMs);
  }

  revokeAgentToken(workspaceId: string, id: string, nowMs: number): Promise<boolean> {
    return this.#agentTokens.revoke(workspaceId, id, nowMs);
  }

  accessTokensOf(userId: string, nowMs: number): Promise<AccessToken[]> {
    return this.#accessTokens.ofUser(userId, nowMs);
  }

  endAccessToken(id: string, nowMs: number): Promise<void> {
    return this.#accessTokens.end(id, nowMs);
  }

  touchAccessToken(id: string, nowMs: number): Promise<void> {
    return this.#accessTokens.touch(id, nowMs);
  }

  endAllOfUser(userId: string, nowMs: number): Promise<void> {
    return this.#accessTokens.endAllOfUser(userId, nowMs);
  }
}
