import { secretInTarget } from '@svc/core/alert/declared-alert';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Vault } from '../platform/world.ts';
import type { AlertRule, DeclaredBy } from './alert-ports.ts';

/** The URL or the address of a rule, or the reason as a clause why nothing can be sent to it now. */
export type OpenedTarget =
  | { readonly kind: 'target'; readonly target: string }
  | { readonly kind: 'problem'; readonly reason: string };

/** Opens the URL in a managed secret for a rule that the file of an agent declares. */
export type OpenSecretTarget = (
  workspaceId: string,
  secret: string,
  declared: DeclaredBy,
) => Promise<OpenedTarget>;

export interface OpenTargetDeps {
  readonly vault: Pick<Vault, 'open'>;
  readonly openSecretTarget: OpenSecretTarget;
}

/** The URL of a rule as it is now. Throws when it was sealed under another master key. */
export async function openUrl(
  { vault, openSecretTarget }: OpenTargetDeps,
  { workspaceId, id, sealedTarget, declared }: AlertRule,
): Promise<OpenedTarget> {
  const target = vault.open(sealedTarget, { workspaceId, kind: 'alert_target', id });
  const secret = declared && secretInTarget(target);
  return declared === undefined || secret === undefined
    ? { kind: 'target', target }
    : await openSecretTarget(workspaceId, secret, declared);
}

/** Why a rule cannot send anything now, as a clause; undefined: it can, as far as the hub knows. */
export async function ruleProblem(
  deps: OpenTargetDeps & { readonly accounts: Pick<Accounts, 'userByEmail' | 'member'> },
  rule: AlertRule,
): Promise<string | undefined> {
  if (rule.channel === 'email') {
    const user = await deps.accounts.userByEmail(rule.shownTarget);
    const member = user && (await deps.accounts.member(rule.workspaceId, user.id));
    return member === undefined ? 'the address is not one of a member of the workspace' : undefined;
  }
  // The URL of another rule was checked when it was made, and is checked again when an alert is sent.
  if (rule.declared === undefined) return undefined;
  const opened = await openUrl(deps, rule);
  return opened.kind === 'problem' ? opened.reason : undefined;
}
