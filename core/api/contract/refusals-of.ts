import type { RefusalCode } from '../../refusal.ts';
import { refusesPrefetch } from '../prefetch.ts';
import type { RouteAccess } from './access.ts';
import { parametersOf, type Route } from './route.ts';

const BODY: readonly RefusalCode[] = ['invalid_json', 'payload_too_large', 'unsupported_media_type'];

/** Every code that a route may refuse with: those of its row, and those of its access, path, query and body. */
export function refusalsOf({ access, path, body, form, scimDocument, refusals = [] }: Route): RefusalCode[] {
  return [
    ...new Set([
      ...ofAccess(access),
      ...(parametersOf(path).length > 0 ? (['not_found'] as const) : []),
      ...(refusesPrefetch(path) ? (['forbidden'] as const) : []),
      ...(body === undefined && form === undefined && scimDocument === undefined ? [] : BODY),
      ...refusals,
      // Two Host headers.
      'invalid_argument' as const,
      'unavailable' as const,
    ]),
  ];
}

function ofAccess(access: RouteAccess): readonly RefusalCode[] {
  switch (access.kind) {
    case 'open':
      return [];
    case 'agent':
      return ['unauthorized'];
    case 'scim':
      return ['unauthorized', 'forbidden', 'rate_limited'];
    case 'user':
      // A request with a session from another site is refused.
      return ['unauthorized', 'forbidden'];
    case 'caller':
    case 'owner':
    case 'member':
    case 'principal':
      return ['unauthorized', 'forbidden', 'second_factor_required'];
    case 'operator':
      return ['not_found', 'forbidden'];
  }
}
