import type { CredentialKind } from '@svc/core/api/contract/access';
import type { Role } from '@svc/core/workspace/permissions';
import type { HubWorld } from '../hub-world.ts';
import { type AccessState, newToken, type Somebody, Writer } from './credential-writer.ts';

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

function bearer(token: string) {
  return { authorization: `Bearer ${token}` };
}

function cookieToken({ cookie }: { readonly cookie: string }): string {
  return cookie.split('=')[1] ?? '';
}
