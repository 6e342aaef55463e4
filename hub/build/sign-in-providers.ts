import type { Logger } from 'pino';
import { systemResolve } from '../alerts/delivery/checked-addresses.ts';
import type { HubConfig } from '../config.ts';
import { OpenIdProvider } from '../identity/openid-provider.ts';
import { recheckGroups } from '../identity/recheck-groups.ts';
import { WorkspaceSignIn } from '../identity/workspace-sign-in.ts';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';
import { repeat } from '../platform/repeat.ts';
import type { HubContext } from './hub-context.ts';

interface ProviderParts {
  readonly config: HubConfig;
  readonly context: HubContext;
  readonly logger: Logger;
  readonly onMail: (mail: OutgoingMail) => void;
}

/** The sign-in providers of the hub and of workspaces. */
export interface SignInProviders {
  /** That of the hub; undefined: the operator named none. */
  readonly provider: OpenIdProvider | undefined;
  readonly workspaceSignIn: WorkspaceSignIn;
  readonly onNoSeat: (workspaceId: string) => void;
}

export function signInProviders({ config: { oidc }, context, logger }: ProviderParts): SignInProviders {
  const { clock, settings, vault, workspaceProviders } = context;
  const onProblem = (reason: string) => logger.warn({ reason }, 'a sign-in at the provider failed');
  return {
    provider: oidc && new OpenIdProvider(oidc, clock, onProblem),
    workspaceSignIn: new WorkspaceSignIn({
      ...{ clock, vault, workspaceProviders, resolve: systemResolve, allowed: settings.alertNetworks },
      onProblem: (workspaceId, reason) =>
        logger.info({ workspaceId, reason }, 'a sign-in at the provider of a workspace failed'),
    }),
    onNoSeat: (workspaceId) =>
      logger.warn({ workspaceId }, 'no seat for a person who would join by a group of the sign-in provider'),
  };
}

/** How often a hub looks for sessions whose groups it has to ask for. */
const CHECK_MS = 60 * 1000;

/** Asks the providers for the groups of people with open sessions, until the returned function is called. */
export function startGroupChecks(
  { context, logger, onMail }: ProviderParts,
  providers: SignInProviders,
): () => void {
  const onProblem = (err: unknown) => logger.warn({ err }, 'the groups of a session were not read');
  const check = () => recheckGroups(context, { ...providers, onMail, onProblem });
  return repeat(context.clock, CHECK_MS, check, onProblem, 'later');
}
