import type { GranteeKind } from '@svc/core/workspace/endpoint-rights';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useAccount } from '../account/account.ts';
import { read, readPages } from '../api/read.ts';

/** Somebody who can get a grant, by the name that people know. */
export interface KnownGrantee {
  readonly kind: GranteeKind;
  /** The id of a member or service account, or the name of a group. */
  readonly id: string;
  readonly name: string;
}

const ALL = { query: { limit: 100 } } as const;

/** The members without the owner, the service accounts that work, and the groups that have a role here. */
export function useGrantees(): readonly KnownGrantee[] {
  const { role } = useAccount();
  const members = useInfiniteQuery(readPages('listMembers', ALL));
  const accounts = useInfiniteQuery(readPages('listServiceAccounts', ALL));
  // Only the owner sees the groups.
  const { data: rules } = useQuery({ ...read('showGroupRoles'), enabled: role === 'owner' });
  useAllPages(members);
  useAllPages(accounts);
  const people = members.data?.pages.flatMap(({ items }) => items) ?? [];
  const programs = accounts.data?.pages.flatMap(({ items }) => items) ?? [];
  return [
    ...people.map(({ id, email }) => ({ kind: 'member', id, name: email }) as const),
    ...programs
      .filter(({ disabled_at: end }) => end === null)
      .map(({ id, name }) => ({ kind: 'service_account', id, name }) as const),
    ...(rules?.groups ?? []).map(({ group }) => ({ kind: 'group', id: group, name: group }) as const),
  ];
}

interface PagedQuery {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => Promise<unknown>;
}

function useAllPages({ hasNextPage, isFetchingNextPage, fetchNextPage }: PagedQuery): void {
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
}
