import { may } from '@svc/core/workspace/permissions';
import { useRouter } from '@tanstack/react-router';
import { useAccount } from '../account/account.ts';
import type { NavItem } from './nav-items.ts';

/** The items that the role of the person may see. */
export function useVisibleNavItems(items: readonly NavItem[]): readonly NavItem[] {
  const { routesByPath } = useRouter();
  const { role, operator } = useAccount();
  return items.filter(
    ({ to, permission, isForOperators }) =>
      to in routesByPath &&
      (permission === undefined || may(role, permission)) &&
      (isForOperators === undefined || operator),
  );
}
