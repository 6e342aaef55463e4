import type { Role } from '../workspace/permissions.ts';
import { needsProvider, type SignInRule } from '../workspace/sign-in-rule.ts';

/** A membership, as far as it decides which proved groups count there. */
export interface GroupsHere {
  readonly workspaceId: string;
  readonly role: Role;
  readonly viaGroup: string | undefined;
  /** Undefined: the workspace has no sign-in provider of its own. */
  readonly signIn: SignInRule | undefined;
  /** The operator lets groups at the provider of the hub have rights here. */
  readonly isMapped: boolean;
}

/** Groups of a person that were proved, or that no longer are. */
export interface GroupsProved {
  readonly groups: readonly string[];
  /** `check`: the provider was asked again within a session. `unlinked`: the person unlinked a sign-in. */
  readonly how: 'sign_in' | 'check' | 'unlinked';
  /** The workspace whose own provider proved them; undefined: the provider of the hub, or none. */
  readonly workspaceId: string | undefined;
}

/**
 * The groups that count for grants in a workspace from now on; undefined: those of before stay (decision 94, groups in grants).
 *
 * In a workspace with its own provider only groups from there count. Another sign-in takes them away if its session may act in the workspace.
 */
export function provedGroups(
  here: GroupsHere,
  { groups, how, workspaceId }: GroupsProved,
): readonly string[] | undefined {
  if (workspaceId !== undefined) return here.workspaceId === workspaceId ? groups : undefined;
  if (how === 'unlinked') return [];
  if (here.signIn === undefined) return here.isMapped ? groups : [];
  return how === 'check' || needsProvider(here.signIn, here) ? undefined : [];
}
