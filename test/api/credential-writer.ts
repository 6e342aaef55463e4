import type { Database } from 'bun:sqlite';
import { randomBytes } from 'node:crypto';
import { formToken, type TokenKind } from '@svc/core/token/token';
import type { Role } from '@svc/core/workspace/permissions';
import { hashToken } from '@svc/hub/accounts/make-tokens';
import { openHubFile } from '../hub-file.ts';
import type { HubWorld } from '../hub-world.ts';

const DAY_MS = 86_400_000;

export interface Somebody {
  readonly userId: string;
  readonly workspaceId: string;
}

export interface AccessState {
  readonly expired?: true;
  readonly epoch?: number;
  readonly isBound?: true;
}

/** Writes rows as the hub would, beside it. */
export class Writer implements Disposable {
  readonly #database: Database;
  readonly #nowMs: number;

  constructor({ dataDir, clock }: HubWorld) {
    this.#database = openHubFile(dataDir);
    this.#nowMs = clock.nowMs();
  }

  home(): { readonly id: string; readonly owner_id: string } {
    const home = this.#database
      .query<{ id: string; owner_id: string }, []>('SELECT id, owner_id FROM workspaces')
      .get();
    if (home === null) throw new Error('the hub has no workspace');
    return home;
  }

  /** Somebody who has a workspace of their own, as everybody has. */
  user(name: string): string {
    const id = Bun.randomUUIDv7();
    const workspaceId = Bun.randomUUIDv7();
    const email = `${name}@example.com`;
    this.#insert('users', { id, email, email_key: email, created_at_ms: this.#nowMs });
    this.#insert('workspaces', {
      id: workspaceId,
      username: name,
      owner_id: id,
      plan: 'unlimited',
      created_at_ms: this.#nowMs,
    });
    this.join({ userId: id, workspaceId }, 'owner');
    return id;
  }

  workspaceOf(userId: string): string {
    const found = this.#database
      .query<{ id: string }, [string]>('SELECT id FROM workspaces WHERE owner_id = ?')
      .get(userId);
    return found?.id ?? '';
  }

  join({ userId, workspaceId }: Somebody, role: Role): void {
    const row = { workspace_id: workspaceId, user_id: userId, role, epoch: 0, joined_at_ms: this.#nowMs };
    this.#insert('members', row);
  }

  /** As if the workspace had a sign-in provider of its own. */
  offerSignIn(workspaceId: string): void {
    this.#database.run("UPDATE workspaces SET sign_in = 'offered' WHERE id = ?", [workspaceId]);
  }

  session({ userId, workspaceId }: Somebody, state: AccessState = {}): { readonly cookie: string } {
    const of = state.isBound ? workspaceId : null;
    return { cookie: `svc_session=${this.#access('session', userId, of, state)}` };
  }

  pending({ userId }: Somebody): string {
    return this.#access('pending', userId, null, {});
  }

  accessToken({ userId, workspaceId }: Somebody, state: AccessState = {}): string {
    return this.#access('personal', userId, workspaceId, state);
  }

  /** A key of a new service account. */
  serviceKey(
    who: Somebody,
    role: Exclude<Role, 'owner'>,
    state: { revoked?: true; expired?: true; scope?: string } = {},
  ): string {
    const id = Bun.randomUUIDv7();
    this.#insert('service_accounts', {
      id,
      workspace_id: who.workspaceId,
      name: id,
      role,
      created_by: who.userId,
      created_at_ms: this.#nowMs,
    });
    const token = this.apiKey(who, state);
    this.#database
      .query('UPDATE api_keys SET service_account_id = ?, endpoints = coalesce(endpoints, ?) WHERE hash = ?')
      .run(id, role === 'viewer' ? '[]' : null, hashToken(token));
    return token;
  }

  apiKey(who: Somebody, state: { revoked?: true; expired?: true; scope?: string } = {}): string {
    const token = newToken('api_key');
    this.#insert('api_keys', {
      ...this.#row(token),
      workspace_id: who.workspaceId,
      created_by: who.userId,
      name: 'matrix',
      endpoints: state.scope === undefined ? null : JSON.stringify([state.scope]),
      expires_at_ms: state.expired ? this.#nowMs : null,
      revoked_at_ms: state.revoked ? this.#nowMs : null,
    });
    return token;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  #access(
    kind: 'session' | 'personal' | 'pending',
    userId: string,
    workspaceId: string | null,
    { expired, epoch = 0, isBound }: AccessState,
  ): string {
    const token = newToken('access_token');
    this.#insert('access_tokens', {
      ...this.#row(token),
      kind,
      user_id: userId,
      workspace_id: workspaceId,
      expires_at_ms: this.#nowMs + (expired ? 0 : DAY_MS),
      epoch,
      bound_session_id: isBound && kind === 'personal' ? 'its session' : null,
    });
    return token;
  }

  #row(token: string) {
    return {
      id: Bun.randomUUIDv7(),
      hash: hashToken(token),
      last4: token.slice(-4),
      created_at_ms: this.#nowMs,
    };
  }

  #insert(table: string, row: Readonly<Record<string, string | number | null>>): void {
    const names = Object.keys(row);
    const places = names.map(() => '?').join(', ');
    this.#database.run(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})`, Object.values(row));
  }
}

export function newToken(kind: TokenKind): string {
  return formToken(kind, randomBytes(32));
}
