import type { AuditSource } from '@svc/core/audit/entry';
import { Refusal, refuse } from '@svc/core/refusal';
import type { Workspace } from '../accounts/account-ports.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { Hubs } from '../cluster/hub-ports.ts';
import { refuseOlderHubs } from '../cluster/refuse-older-hubs.ts';
import type { Clock, Vault } from '../platform/world.ts';
import type { WorkspaceProvider } from './identity-ports.ts';
import type { WorkspaceProviders } from './store/workspace-provider-store.ts';
import { secretOf, type WorkspaceSignIn } from './workspace-sign-in.ts';

export interface ProviderDeps {
  readonly clock: Clock;
  readonly hubs: Pick<Hubs, 'without'>;
  readonly openStreams: Pick<OpenStreams, 'recheck'>;
  readonly vault: Vault;
  readonly workspaceProviders: WorkspaceProviders;
  readonly workspaceSignIn: WorkspaceSignIn;
}

export interface NewProvider {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined: the present one, if issuer and client stay; null: a public client. */
  readonly clientSecret: string | null | undefined;
  readonly name: string;
  readonly scopes: string;
  readonly groupsClaim: string | undefined;
  readonly isRequired: boolean;
}

/** What the description of a provider says. */
export interface ProviderFacts {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly userinfoEndpoint: string | undefined;
  readonly scopes: readonly string[];
  /** What may not work, in sentences. */
  readonly warnings: readonly string[];
}

/** Reads the description of a provider now. Refuses with `invalid_argument`, and says why, when there is no valid one. */
export async function testProvider(
  workspaceSignIn: WorkspaceSignIn,
  workspaceId: string,
  issuer: string,
): Promise<ProviderFacts> {
  const problem = workspaceSignIn.issuerProblem(issuer);
  if (problem !== undefined) throw refuse('invalid_argument', `issuer: ${problem}`);
  const provider = { workspaceId, issuer, clientId: 'test', name: 'test', scopes: 'openid' };
  const found = await workspaceSignIn
    .client({ ...provider, groupsClaim: undefined }, undefined)
    .describe()
    .catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      throw refuse(
        'invalid_argument',
        `issuer: no valid description at ${issuer.replace(/\/$/, '')}/.well-known/openid-configuration. The hub must reach it at a public address, without a redirect, and it must name itself "${issuer}"`,
      );
    });
  const { authorization_endpoint: authorization, token_endpoint: token, userinfo_endpoint } = found;
  if (authorization === undefined || token === undefined)
    throw refuse('invalid_argument', 'issuer: the description names no address to sign in or to get tokens');
  for (const address of [authorization, token, userinfo_endpoint ?? token]) {
    const wrong = workspaceSignIn.issuerProblem(address.replace(/[?#].*$/, ''));
    if (wrong !== undefined) throw refuse('invalid_argument', `issuer: its address ${address}: ${wrong}`);
  }
  const warnings = [
    found.code_challenge_methods_supported?.includes('S256') === true
      ? []
      : ['The provider does not say that it checks PKCE (S256).'],
    found.scopes_supported === undefined || found.scopes_supported.includes('email')
      ? []
      : ['The provider does not offer the scope email. People are linked by their address.'],
  ].flat();
  return {
    issuer: found.issuer,
    authorizationEndpoint: authorization,
    tokenEndpoint: token,
    userinfoEndpoint: userinfo_endpoint,
    scopes: found.scopes_supported ?? [],
    warnings,
  };
}

/** Names the provider of a workspace, or changes it, after its description was read (decision 92, providers of workspaces). */
export async function setProvider(
  deps: ProviderDeps,
  { id: workspaceId, username }: Workspace,
  wanted: NewProvider,
  by: AuditSource,
): Promise<WorkspaceProvider> {
  if (username === undefined)
    throw refuse(
      'invalid_argument',
      'choose the username of the workspace first: it is in the redirect address',
    );
  const from = await deps.workspaceProviders.find(workspaceId);
  const isOther = from !== undefined && (from.issuer !== wanted.issuer || from.clientId !== wanted.clientId);
  // A secret is never sent to another provider than the one that it was given for.
  if (isOther && wanted.clientSecret === undefined && from.sealedSecret !== undefined)
    throw refuse('invalid_argument', 'client_secret: that of the new provider expected, or null for none');
  await refuseOlderHubs(deps, 'workspaceProvider');
  await testProvider(deps.workspaceSignIn, workspaceId, wanted.issuer);
  const atMs = deps.clock.nowMs();
  const { issuer, clientId, clientSecret, name, scopes, groupsClaim, isRequired } = wanted;
  const sealedSecret =
    clientSecret === undefined
      ? from?.sealedSecret
      : (clientSecret ?? undefined) && deps.vault.seal(clientSecret ?? '', secretOf(workspaceId));
  const revision = (from?.revision ?? 0) + 1;
  const times = { createdAtMs: from?.createdAtMs ?? atMs, updatedAtMs: atMs };
  const to = { workspaceId, issuer, clientId, sealedSecret, name, scopes, groupsClaim, revision, ...times };
  const rule = isRequired ? 'required' : 'offered';
  const isStored = await deps.workspaceProviders.set(
    { from, to, rule, isOther },
    {
      ...by,
      workspaceId,
      atMs,
      action: 'workspace.sign_in_set',
      target: { kind: 'workspace', id: workspaceId, name: username },
      details: { issuer, client_id: clientId, groups_claim: groupsClaim ?? null, required: isRequired },
    },
  );
  if (!isStored) throw refuse('version_conflict', 'the provider was changed meanwhile: look at it again');
  await deps.openStreams.recheck();
  return to;
}

/** Removes the provider of a workspace: its sessions end, and members by its groups become members by hand. */
export async function removeProvider(
  {
    clock,
    openStreams,
    workspaceProviders,
  }: Pick<ProviderDeps, 'clock' | 'openStreams' | 'workspaceProviders'>,
  { id: workspaceId, username }: Workspace,
  by: AuditSource,
): Promise<void> {
  const provider = await workspaceProviders.find(workspaceId);
  const isRemoved =
    provider !== undefined &&
    (await workspaceProviders.remove(workspaceId, {
      ...by,
      workspaceId,
      atMs: clock.nowMs(),
      action: 'workspace.sign_in_removed',
      target: { kind: 'workspace', id: workspaceId, name: username ?? '' },
      details: { issuer: provider.issuer },
    }));
  if (!isRemoved) throw refuse('not_found', 'this workspace has no sign-in provider');
  await openStreams.recheck();
}
