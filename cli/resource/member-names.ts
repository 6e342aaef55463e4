import type { ApiClient } from '@svc/core/api/client/client-of';

/** The e-mail address of the owner or a member by the id of the account. */
export async function memberNames(api: ApiClient): Promise<(id: string) => string> {
  const emails = new Map<string | undefined, string>();
  let cursor: string | undefined;
  do {
    const { items, owner, next_cursor: next } = await api.listMembers({ query: { limit: 100, cursor } });
    for (const { id, email } of [owner, ...items]) emails.set(id, email);
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  // A hub of an earlier version does not say the id of the owner.
  const other = emails.has(undefined) ? 'the owner or a former member' : 'a former member';
  return (id) => emails.get(id) ?? other;
}
