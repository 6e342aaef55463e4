import { useQuery } from '@tanstack/react-query';
import { read } from '../api/read.ts';

/** Larger counts show as "99+". */
const COUNTED = 99;

/** The number of approvals that the person can decide; undefined until loaded. */
export function useWaiting(): number | undefined {
  const { data } = useQuery({ ...read('countWaiting'), select: ({ mine }) => mine });
  return data;
}

export function countWords(count: number): string {
  return count > COUNTED ? `${COUNTED}+` : String(count);
}
