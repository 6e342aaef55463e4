import type { Network } from '@svc/core/alert/address';
import { RecentMap } from '@svc/core/recent-map';
import type { Resolve } from '../alerts/delivery/checked-addresses.ts';
import { urlProblem } from '../alerts/target-problem.ts';
import type { Clock, Vault } from '../platform/world.ts';
import { filteredFetch } from './filtered-fetch.ts';
import type { WorkspaceProvider } from './identity-ports.ts';
import { OpenIdProvider } from './openid-provider.ts';
import type { WorkspaceProviders } from './store/workspace-provider-store.ts';

export interface WorkspaceSignInDeps {
  readonly clock: Clock;
  readonly resolve: Resolve;
  /** Private networks that the operator allows. */
  readonly allowed: readonly Network[];
  readonly vault: Vault;
  readonly workspaceProviders: Pick<WorkspaceProviders, 'find'>;
  /** Called with the reason of each failed sign-in, for the log of the operator. */
  readonly onProblem: (workspaceId: string, reason: string) => void;
}

/** The client secret opens only for its workspace. */
export function secretOf(workspaceId: string) {
  return { workspaceId, kind: 'sign_in_provider', id: workspaceId } as const;
}

interface Remembered {
  readonly client: OpenIdProvider;
  /** That of the stored provider which the client is for. */
  readonly revision: number;
}

/** Clients of the OpenID providers of workspaces. Every request of theirs goes through the filter of webhook targets. */
export class WorkspaceSignIn {
  readonly #deps: WorkspaceSignInDeps;
  /** By workspace; a client remembers the description of its provider. */
  readonly #clients = new RecentMap<string, Remembered>(500);

  constructor(deps: WorkspaceSignInDeps) {
    this.#deps = deps;
  }

  /** Undefined: the workspace has no provider. */
  async clientOf(workspaceId: string): Promise<Remembered | undefined> {
    const provider = await this.#deps.workspaceProviders.find(workspaceId);
    if (provider === undefined) return undefined;
    const known = this.#clients.get(workspaceId);
    if (known?.revision === provider.revision) return known;
    const { sealedSecret } = provider;
    const secret = sealedSecret && this.#deps.vault.open(sealedSecret, secretOf(workspaceId));
    const client = this.client(provider, secret);
    const remembered = { revision: provider.revision, client };
    this.#clients.set(workspaceId, remembered);
    return remembered;
  }

  /** A client that is not remembered, for a provider that is not stored yet. */
  client(
    provider: Pick<
      WorkspaceProvider,
      'workspaceId' | 'issuer' | 'clientId' | 'name' | 'scopes' | 'groupsClaim'
    >,
    clientSecret: string | undefined,
  ): OpenIdProvider {
    const { workspaceId, issuer, clientId, name, scopes, groupsClaim } = provider;
    const { clock, onProblem } = this.#deps;
    // An address that is only claimed opens no account: a person links their account themselves.
    const settings = {
      issuer,
      clientId,
      clientSecret,
      name,
      scopes,
      groupsClaim,
      emailVerified: 'always',
    } as const;
    const log = (reason: string) => onProblem(workspaceId, reason);
    return new OpenIdProvider({ ...settings, groupWorkspaces: [] }, clock, log, filteredFetch(this.#deps));
  }

  /** The problem of an issuer, as a clause; undefined if it may be tried. Names are resolved when it is. */
  issuerProblem(issuer: string): string | undefined {
    if (/[?#]/.test(issuer)) return 'an address without "?" and "#" expected';
    return urlProblem(issuer, this.#deps.allowed);
  }
}
