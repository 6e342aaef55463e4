import { type Refusal, refuse } from '../refusal.ts';

/** What a workspace demands of its members. */
export const SECOND_FACTOR_RULES = ['required'] as const;
export type SecondFactorRule = (typeof SECOND_FACTOR_RULES)[number];

/**
 * Whether a member may not act in a workspace until they switch their second factor on (decision 100, second factor).
 * Service accounts have no second factor and need none.
 *
 * @param rule undefined: the workspace demands none
 */
export function lacksSecondFactor(
  rule: SecondFactorRule | undefined,
  member: { readonly hasSecondFactor?: boolean | undefined; readonly isServiceAccount?: true },
): boolean {
  return rule === 'required' && member.isServiceAccount !== true && member.hasSecondFactor !== true;
}

/** The refusal of a credential whose member lacks the second factor. The refusal says where to switch it on. */
export function secondFactorMissing(hubUrl: string): Refusal {
  const url = `${hubUrl}/dashboard/settings`;
  return refuse(
    'second_factor_required',
    `this workspace demands a second factor of its members, and your account has none: switch it on at ${url}`,
    { url },
  );
}
