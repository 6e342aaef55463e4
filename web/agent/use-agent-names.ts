import { useQuery } from '@tanstack/react-query';
import { read } from '../api/read.ts';

const MAX_NAMES = 100;

/** The names of the agents of the last 30 days, each once. */
export function useAgentNames(): readonly string[] {
  const { data } = useQuery(read('listAgents', { query: { limit: MAX_NAMES } }));
  return [...new Set(data?.items.map(({ name }) => name))].toSorted();
}
