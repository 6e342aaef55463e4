import { type Refusal, refuse } from '@svc/core/refusal';
import { holderDecision } from '@svc/core/secret/grant';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import type { DeclaredBy } from '../alerts/alert-ports.ts';
import type { OpenedTarget } from '../alerts/open-target.ts';
import { urlProblem } from '../alerts/target-problem.ts';
import type { Settings } from '../platform/settings.ts';
import type { Vault } from '../platform/world.ts';
import type { Secret } from '../secrets/secret-ports.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';
import { openSecrets } from './order-secrets.ts';
import { grantRefusal, storedHolder, termsOf } from './secret-terms.ts';

export type AlertSecretDeps = {
  readonly secrets: Pick<Secrets, 'find' | 'decisions'>;
  readonly credentials: Pick<Credentials, 'agentTokensOf'>;
  readonly knownAgents: Pick<KnownAgents, 'owned'>;
};

type Declarer = Pick<DeclaredBy, 'tokenId' | 'instance'>;

/**
 * The URL in a managed secret, for an alert of a file (decision 70, alert rules in a file). The token and the process whose
 * file names it must be granted the secret, as for a command (decision 58, agent tokens and secret grants).
 *
 * The reason of a problem has no part of the value.
 */
export async function openAlertSecret(
  deps: AlertSecretDeps & { readonly vault: Vault; readonly settings: Pick<Settings, 'alertNetworks'> },
  workspaceId: string,
  name: string,
  declarer: Declarer,
): Promise<OpenedTarget> {
  const secret = await alertSecret(deps, workspaceId, name, declarer);
  if (secret.kind === 'refused') return { kind: 'problem', reason: secret.refusal.message };
  const target = (openSecrets(deps.vault, [secret.secret])[name] ?? '').trim();
  const problem = urlProblem(target, deps.settings.alertNetworks);
  return problem === undefined
    ? { kind: 'target', target }
    : { kind: 'problem', reason: `the secret "${name}" holds no URL for an alert: ${problem}` };
}

type Granted =
  | { readonly kind: 'granted'; readonly secret: Secret }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Whether the declarer of an alert may use a secret. */
export async function alertSecret(
  { secrets, credentials, knownAgents }: AlertSecretDeps,
  workspaceId: string,
  name: string,
  declarer: Declarer,
): Promise<Granted> {
  const [secret, decisions, tokens, owned] = await Promise.all([
    secrets.find(workspaceId, name),
    secrets.decisions(workspaceId),
    credentials.agentTokensOf(workspaceId),
    knownAgents.owned(workspaceId),
  ]);
  if (secret === undefined) return refused(refuse('secret_not_set', `the secret "${name}" is not set`));
  const valid = tokens.filter(({ revokedAtMs }) => revokedAtMs === undefined);
  const holder = storedHolder(declarer, valid, owned);
  if (holder === undefined) return refused(revoked(name));
  const decision = holderDecision(termsOf(secret, decisions), holder);
  if (decision.kind === 'granted') return { kind: 'granted', secret };
  return refused(grantRefusal(decision, name, holder.agentName));
}

function revoked(name: string): Refusal {
  const message = `the token of the file that names the secret "${name}" was revoked: connect its agent with another`;
  return refuse('secret_not_allowed', message);
}

function refused(refusal: Refusal): Granted {
  return { kind: 'refused', refusal };
}
