import { useQuery } from '@tanstack/react-query';
import { read } from '../api/read.ts';

/** Larger counts show as "99+". */
const COUNTED = 99;

/** Live events come from the selected workspace only. */
const POLL_MS = 60_000;

/** The approvals that the person can decide, here and in their other workspaces; undefined until loaded. */
export function useWaiting() {
  const { data } = useQuery({ ...read('countWaiting'), refetchInterval: POLL_MS });
  return data;
}

export function countWords(count: number): string {
  return count > COUNTED ? `${COUNTED}+` : String(count);
}
