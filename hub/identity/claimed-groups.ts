type Claims = Readonly<Record<string, unknown>>;

/** The most groups that count of one person. */
const MAX_GROUPS = 1_000;

/**
 * The groups in the claims of a person: a text or a list of texts. Undefined: the claims do not have them.
 *
 * @param claim a name, or a path such as `realm_access.roles`; a claim whose name has dots comes first
 */
export function claimedGroups(claims: Claims, claim: string): readonly string[] | undefined {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : valueAt(claims, claim.split('.'));
  if (value === undefined) return undefined;
  const groups: readonly unknown[] = Array.isArray(value) ? value : [value];
  return groups.filter((group) => typeof group === 'string' && group !== '').slice(0, MAX_GROUPS) as string[];
}

/** Whether a provider says that it left the groups out because there are too many (OpenID Connect Core 5.6.2). */
export function areGroupsElsewhere({ _claim_names: names }: Claims, claim: string): boolean {
  return typeof names === 'object' && names !== null && Object.hasOwn(names, claim);
}

function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return valueAt((value as Claims)[name], rest);
}
