import { may } from '@svc/core/workspace/permissions';
import { useRouter } from '@tanstack/react-router';
import { useAccount } from '../account/account.ts';
import type { Place } from './places.ts';

/** Of these places, those that there are for whoever looks. */
export function useVisibleNavItems(places: readonly Place[]): readonly Place[] {
  const { routesByPath } = useRouter();
  const { role, operator } = useAccount();
  return places.filter(
    ({ to, permission, isForOperators }) =>
      to in routesByPath &&
      (permission === undefined || may(role, permission)) &&
      (isForOperators === undefined || operator),
  );
}
