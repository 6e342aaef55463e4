import { useQuery } from '@tanstack/react-query';
import { type Item, read } from '../../api/read.ts';

const SUGGESTED = 50;

/** What begins to match a name, and the endpoint of that very name. Whoever asks for the same name asks the hub once. */
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
