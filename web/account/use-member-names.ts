import { useInfiniteQuery } from '@tanstack/react-query';
import { readPages } from '../api/read.ts';

/** Who an account is, by its id: the e-mail of a member; the owner is not in the list of members (reference 2.6). */
export function useMemberNames(): (id: string) => string {
  const { data } = useInfiniteQuery(readPages('listMembers'));
  const emails = new Map(data?.pages.flatMap(({ items }) => items).map(({ id, email }) => [id, email]));
  return (id) => emails.get(id) ?? (data === undefined ? 'somebody' : 'the owner');
}
