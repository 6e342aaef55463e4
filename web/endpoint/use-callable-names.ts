import { useQuery } from '@tanstack/react-query';
import { read } from '../api/read.ts';

const MAX_NAMES = 100;

/** The names of the endpoints and pipelines of the workspace that contain a text; of many, the first. */
export function useCallableNames(text: string): readonly string[] {
  const search = text.trim();
  const { data: endpoints } = useQuery({
    ...read('listEndpoints', { query: { limit: MAX_NAMES, ...(search && { search }) } }),
    placeholderData: (before) => before,
  });
  const { data: pipelines } = useQuery(read('listPipelines', { query: { limit: MAX_NAMES } }));
  return [...(endpoints?.items ?? []), ...(pipelines?.items ?? [])].map(({ slug }) => slug).toSorted();
}
