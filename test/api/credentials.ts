import type { Database } from 'bun:sqlite';
import { randomBytes } from 'node:crypto';
import type { CredentialKind } from '@svc/core/api/contract/access';
import { formToken, type TokenKind } from '@svc/core/token/token';
import type { Role } from '@svc/core/workspace/permissions';
import { hashToken } from '@svc/hub/accounts/make-tokens';
import { openHubFile } from '../hub-file.ts';
import type { HubWorld } from '../hub-world.ts';

/** A credential as the matrix of routes knows it: what it is, and whose in the workspace `home`. */
export interface Credential {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: the hub accepts none. */
  readonly kind?: CredentialKind;
  /** The role in the workspace of the request; undefined: not a member. */
  readonly role?: Role;
  /** The workspace that it speaks for is not `home`. */
  readonly isForeign?: true;
  readonly isOperator?: true;
  /** The only slug that a key may call. */
  readonly scope?: string;
  /** It came from the sign-in provider of `home`, and is for no account. */
  readonly isBound?: true;
}

const DAY_MS = 86_400_000;

/**
 * Every kind of credential in every state, for the workspace of `svc up`: one for each row of the permission table, and those
 * that must be good for nothing.
 *
 * They are written into the database, beside the use cases that make them: the matrix tests who may what, not these.
 */
export async function allCredentials(world: HubWorld): Promise<Credential[]> {
  using writer = new Writer(world);
  const home = writer.home();
  const owner = { userId: home.owner_id, workspaceId: home.id };
  const admin = { userId: writer.user('admin'), workspaceId: home.id };
  const member = { userId: writer.user('member'), workspaceId: home.id };
  const viewer = { userId: writer.user('viewer'), workspaceId: home.id };
  const removed = { userId: writer.user('removed'), workspaceId: home.id };
  writer.join(admin, 'admin');
  writer.join(member, 'member');
  writer.join(viewer, 'viewer');
  const strangerId = writer.user('stranger');
  const stranger = { userId: strangerId, workspaceId: writer.workspaceOf(strangerId) };
  const there = { 'x-svc-workspace': world.start.username };
  const sessionOf = (who: Somebody, state: AccessState = {}) => ({
    ...writer.session(who, state),
    origin: world.hub.hubUrl,
    ...there,
  });
  writer.offerSignIn(home.id);
  return [
    { name: 'nothing', headers: {} },
    { name: 'no token at all', headers: bearer('x') },
    { name: 'an unknown API key', headers: { 'x-api-key': newToken('api_key') } },
    { name: 'an unknown access token', headers: bearer(newToken('access_token')) },
    { name: 'a revoked API key', headers: { 'x-api-key': writer.apiKey(owner, { revoked: true }) } },
    {
      name: 'an API key that has expired',
      headers: { 'x-api-key': writer.apiKey(owner, { expired: true }) },
    },
    {
      name: 'an access token that has expired',
      headers: bearer(writer.accessToken(owner, { expired: true })),
    },
    { name: 'an access token of an older epoch', headers: bearer(writer.accessToken(admin, { epoch: -1 })) },
    {
      name: 'a session of an older epoch',
      headers: { ...writer.session(owner, { epoch: -1 }), origin: world.hub.hubUrl },
    },
    {
      name: 'a session that has expired',
      headers: { ...writer.session(owner, { expired: true }), origin: world.hub.hubUrl },
    },
    { name: 'an access token of a removed member', headers: bearer(writer.accessToken(removed)) },
    { name: 'the token of a session as a bearer', headers: bearer(cookieToken(writer.session(owner))) },
    { name: 'an agent token', headers: bearer(world.start.agentToken), kind: 'agent_token' },
    { name: 'an API key', headers: { 'x-api-key': world.start.apiKey }, kind: 'api_key' },
    { name: 'an API key as a bearer', headers: bearer(world.start.apiKey), kind: 'api_key' },
    {
      name: 'an API key with a scope',
      headers: { 'x-api-key': writer.apiKey(owner, { scope: 'other' }) },
      kind: 'api_key',
      scope: 'other',
    },
    {
      name: 'an API key of another workspace',
      headers: { 'x-api-key': writer.apiKey(stranger) },
      kind: 'api_key',
      isForeign: true,
    },
    ...(['admin', 'member', 'viewer'] as const).map((role) => ({
      name: `the key of a service account with the role ${role}`,
      headers: { 'x-api-key': writer.serviceKey(owner, role) },
      kind: 'service_key' as const,
      role,
    })),
    {
      name: 'the key of a service account of another workspace',
      headers: bearer(writer.serviceKey(stranger, 'admin')),
      kind: 'service_key',
      role: 'admin',
      isForeign: true,
    },
    {
      name: 'the key of a service account that is for one endpoint',
      headers: { 'x-api-key': writer.serviceKey(owner, 'admin', { scope: 'other' }) },
      kind: 'api_key',
      scope: 'other',
    },
    {
      name: 'a revoked key of a service account',
      headers: { 'x-api-key': writer.serviceKey(owner, 'admin', { revoked: true }) },
    },
    {
      name: 'a key of a service account that has expired',
      headers: { 'x-api-key': writer.serviceKey(owner, 'admin', { expired: true }) },
    },
    {
      name: 'the session of the owner',
      headers: sessionOf(owner),
      kind: 'session',
      role: 'owner',
      isOperator: true,
    },
    { name: 'the session of an admin', headers: sessionOf(admin), kind: 'session', role: 'admin' },
    { name: 'the session of a member', headers: sessionOf(member), kind: 'session', role: 'member' },
    { name: 'the session of a viewer', headers: sessionOf(viewer), kind: 'session', role: 'viewer' },
    ...(['owner', 'member'] as const).map((role) => ({
      name: `the session of the ${role} from the provider of the workspace`,
      headers: sessionOf(role === 'owner' ? owner : member, { isBound: true }),
      kind: 'session' as const,
      role,
      isBound: true as const,
    })),
    ...(['owner', 'member'] as const).map((role) => ({
      name: `an access token that the ${role} made in such a session`,
      headers: bearer(writer.accessToken(role === 'owner' ? owner : member, { isBound: true })),
      kind: 'personal' as const,
      role,
      isBound: true as const,
    })),
    {
      name: 'the session of the owner whose second factor is not proved',
      headers: { cookie: `svc_pending_session=${writer.pending(owner)}`, origin: world.hub.hubUrl, ...there },
    },
    {
      name: 'the same in the cookie of a session',
      headers: { cookie: `svc_session=${writer.pending(owner)}`, origin: world.hub.hubUrl, ...there },
    },
    { name: 'the session of a removed member', headers: sessionOf(removed), kind: 'session' },
    { name: 'the session of a stranger', headers: sessionOf(stranger), kind: 'session' },
    {
      name: 'the access token of the owner',
      headers: bearer(world.start.accessToken),
      kind: 'personal',
      role: 'owner',
      isOperator: true,
    },
    {
      name: 'the access token of an admin',
      headers: bearer(writer.accessToken(admin)),
      kind: 'personal',
      role: 'admin',
    },
    {
      name: 'the access token of a member',
      headers: bearer(writer.accessToken(member)),
      kind: 'personal',
      role: 'member',
    },
    {
      name: 'the access token of a viewer',
      headers: bearer(writer.accessToken(viewer)),
      kind: 'personal',
      role: 'viewer',
    },
    {
      name: 'the access token of a stranger',
      headers: bearer(writer.accessToken(stranger)),
      kind: 'personal',
      // In the workspace that it is bound to.
      role: 'owner',
      isForeign: true,
    },
  ];
}

interface Somebody {
  readonly userId: string;
  readonly workspaceId: string;
}

interface AccessState {
  readonly expired?: true;
  readonly epoch?: number;
  readonly isBound?: true;
}

/** Writes rows as the hub would, beside it. */
class Writer implements Disposable {
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

function newToken(kind: TokenKind): string {
  return formToken(kind, randomBytes(32));
}

function bearer(token: string) {
  return { authorization: `Bearer ${token}` };
}

function cookieToken({ cookie }: { readonly cookie: string }): string {
  return cookie.split('=')[1] ?? '';
}
