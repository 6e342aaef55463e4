/** Groups at the sign-in provider that a person has now and did not have, and the other way round; both sorted. */
export interface ChangedGroups {
  readonly gained: readonly string[];
  readonly lost: readonly string[];
}

/** Undefined: a sign-in with these groups changes nothing. */
export function changedGroups(
  before: readonly string[],
  after: readonly string[],
): ChangedGroups | undefined {
  const [had, has] = [new Set(before), new Set(after)];
  const gained = [...has.difference(had)].sort();
  const lost = [...had.difference(has)].sort();
  return gained.length === 0 && lost.length === 0 ? undefined : { gained, lost };
}
