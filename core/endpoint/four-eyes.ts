import type { Endpoint } from './definition.ts';

/**
 * Whether a person other than the caller has to approve. The caller must then be known (decision 60, the file is a floor).
 */
export function needsKnownRequester({
  approvalRequired,
  allowSelf,
}: Pick<Endpoint, 'approvalRequired' | 'allowSelf'>): boolean {
  return approvalRequired && !allowSelf;
}

/**
 * The endpoint without its public URL and schedule if its caller must be known. Only definitions from before decision 60,
 * the file is a floor, and overrides of a file that changed later, still combine them.
 */
export function withoutUnknownCallers(endpoint: Endpoint): Endpoint {
  if (!needsKnownRequester(endpoint)) return endpoint;
  const { schedule: _unfit, ...others } = endpoint;
  return { ...others, public: false };
}
