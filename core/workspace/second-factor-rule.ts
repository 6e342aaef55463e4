/** What a workspace demands of its members. */
export const SECOND_FACTOR_RULES = ['required'] as const;
export type SecondFactorRule = (typeof SECOND_FACTOR_RULES)[number];

/**
 * Whether a member may not act in a workspace until they switch their second factor on (decision 100, second factor). A service
 * account has none and needs none.
 *
 * @param rule undefined: the workspace demands none
 */
export function lacksSecondFactor(
  rule: SecondFactorRule | undefined,
  member: { readonly hasSecondFactor?: boolean | undefined; readonly isServiceAccount?: true },
): boolean {
  return rule === 'required' && member.isServiceAccount !== true && member.hasSecondFactor !== true;
}
