import { useInfiniteQuery } from '@tanstack/react-query';
import { readPages } from '../api/read.ts';

/** The email of a member by account id. The owner is not in the list of members (reference 2.6). */
export function useMemberNames(): (id: string) => string {
  const { data } = useInfiniteQuery(readPages('listMembers'));
  const emails = new Map(data?.pages.flatMap(({ items }) => items).map(({ id, email }) => [id, email]));
  return (id) => emails.get(id) ?? (data === undefined ? 'a member' : 'the owner');
}

/** The email addresses of the owner and the members. */
export function useMemberEmails(): readonly string[] {
  const { data } = useInfiniteQuery(readPages('listMembers'));
  const owner = data?.pages[0]?.owner?.email;
  const members = data?.pages.flatMap(({ items }) => items.map(({ email }) => email)) ?? [];
  return owner === undefined ? members : [owner, ...members];
}
