import { useQuery } from '@tanstack/react-query';
import { type Item, read } from '../../api/read.ts';

const SUGGESTED = 50;

/** The endpoints that match a name, and the one with exactly that name. Callers with the same name share one request. */
export function useEndpoint(name: string): {
  readonly found: readonly Item<'listEndpoints'>[];
  readonly exact: Item<'listEndpoints'> | undefined;
} {
  const { data } = useQuery({
    ...read('listEndpoints', { query: { limit: SUGGESTED, ...(name && { search: name }) } }),
    placeholderData: (before) => before,
  });
  const found = data?.items ?? [];
  const listed = found.find(({ slug }) => slug === name);
  const isBeyond = listed === undefined && data !== undefined && data.next_cursor !== null;
  const { data: shown } = useQuery({
    ...read('showEndpoint', { parameters: { name } }),
    enabled: isBeyond && name !== '',
    retry: false,
  });
  return { found, exact: listed ?? shown };
}
