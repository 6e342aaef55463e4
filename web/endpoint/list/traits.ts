import type { WireEndpoint } from '../wire-endpoint.ts';

/** The traits of an endpoint that differ from the default. */
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
