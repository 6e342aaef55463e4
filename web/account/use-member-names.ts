import { useInfiniteQuery } from '@tanstack/react-query';
import { readPages } from '../api/read.ts';

/** The email of the owner or a member by account id. */
export function useMemberNames(): (id: string) => string {
  const { data } = useInfiniteQuery(readPages('listMembers'));
  const everyone = data?.pages.flatMap(({ items, owner }) => [owner, ...items]) ?? [];
  const emails = new Map(everyone.map(({ id, email }) => [id, email]));
  return (id) => emails.get(id) ?? (data === undefined ? 'a member' : 'a former member');
}

/** The email addresses of the owner and the members. */
export function useMemberEmails(): readonly string[] {
  const { data } = useInfiniteQuery(readPages('listMembers'));
  const owner = data?.pages[0]?.owner?.email;
  const members = data?.pages.flatMap(({ items }) => items.map(({ email }) => email)) ?? [];
  return owner === undefined ? members : [owner, ...members];
}
