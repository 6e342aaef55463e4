import type { Endpoint } from './definition.ts';

/** Whether another person than the caller has to approve: then the caller has to be known (decision 60). */
export function needsKnownRequester({
  approvalRequired,
  allowSelf,
}: Pick<Endpoint, 'approvalRequired' | 'allowSelf'>): boolean {
  return approvalRequired && !allowSelf;
}

/**
 * The endpoint without the ways in on which the caller is unknown: the public URL and the schedule. Only a definition that was
 * stored before decision 60, or an override of a file that changed later, still has them.
 */
export function withoutUnknownCallers(endpoint: Endpoint): Endpoint {
  if (!needsKnownRequester(endpoint)) return endpoint;
  const { schedule: _unfit, ...others } = endpoint;
  return { ...others, public: false };
}
