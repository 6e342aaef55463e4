import { ROLES } from '../workspace/permissions.ts';
import { isNamed, type WorkspaceNames } from '../workspace/username.ts';
import type { AssignableRole } from './invite.ts';

/** The name that stands for everyone at the sign-in provider. Its rule must name domains, because some providers know the world. */
export const EVERYONE = '*';

/** Members of a group at the sign-in provider have this role in the workspace (decision 78, roles by groups). */
export interface GroupRole {
  /** The name as the provider sends it, or `EVERYONE`. */
  readonly group: string;
  /** Never the owner: a claim of a provider makes nobody an owner. */
  readonly role: AssignableRole;
  /** Only people with a verified address in one of these domains; none: with any address. */
  readonly domains: readonly string[];
}

/** The list of workspaces that stands for all of them. */
const ALL_WORKSPACES = '*';

/**
 * Whether the operator lets a workspace give roles to groups. Not every workspace may: its rules bring people into a team without
 * asking them, and bind their sign-in to the provider.
 */
export function mayMapGroups(allowed: readonly string[], workspace: WorkspaceNames): boolean {
  return allowed.includes(ALL_WORKSPACES) || allowed.some((name) => isNamed(workspace, name));
}

/** A person as the provider describes them at a sign-in. */
export interface PersonInGroups {
  readonly groups: readonly string[];
  /** The address that the provider has verified; undefined: none. */
  readonly verifiedEmail: string | undefined;
}

/** The rule that gives a person the strongest role; undefined: no group of theirs has one. */
export function roleOfGroups(rules: readonly GroupRole[], person: PersonInGroups): GroupRole | undefined {
  const strength = ({ role }: GroupRole) => ROLES.indexOf(role);
  return rules
    .filter((rule) => isFor(rule, person))
    .toSorted((one, other) => strength(one) - strength(other))[0];
}

function isFor({ group, domains }: GroupRole, { groups, verifiedEmail }: PersonInGroups): boolean {
  if (group !== EVERYONE && !groups.includes(group)) return false;
  if (domains.length === 0) return group !== EVERYONE;
  const domain = verifiedEmail?.slice(verifiedEmail.lastIndexOf('@') + 1).toLowerCase();
  return domain !== undefined && domains.includes(domain);
}
