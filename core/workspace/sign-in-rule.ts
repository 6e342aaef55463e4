import type { Role } from './permissions.ts';

/**
 * How people sign in to a workspace with a sign-in provider of its own. `offered`: at the provider or in another way. `required`: at
 * the provider only, except the owner.
 */
export const SIGN_IN_RULES = ['offered', 'required'] as const;
export type SignInRule = (typeof SIGN_IN_RULES)[number];

/**
 * Whether a member may act in a workspace only with a session that came from its provider (decision 92, providers of workspaces).
 *
 * The owner never has to, so that a provider that is down locks no workspace. A member by a group always has to, else a link by mail
 * would keep a membership that the provider has ended.
 *
 * @param rule undefined: the workspace has no provider of its own
 */
export function needsProvider(
  rule: SignInRule | undefined,
  { role, viaGroup }: { readonly role: Role; readonly viaGroup?: string | undefined },
): boolean {
  if (rule === undefined || role === 'owner') return false;
  return rule === 'required' || viaGroup !== undefined;
}
