import type { WireEndpoint } from '../wire-endpoint.ts';

/** What is special about an endpoint, in a few words each. */
export function traitsOf(
  endpoint: Pick<WireEndpoint, 'method' | 'public' | 'approval_required' | 'schedule'>,
): string[] {
  return [
    endpoint.method ?? '',
    endpoint.public ? 'public' : '',
    endpoint.approval_required ? 'needs approval' : '',
    endpoint.schedule === null ? '' : 'scheduled',
  ].filter((trait) => trait !== '');
}
