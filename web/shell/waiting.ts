import { useQuery } from '@tanstack/react-query';
import { read } from '../api/read.ts';

/** As many are counted; more are "99+". */
const COUNTED = 99;

/** How many calls wait for whoever looks; undefined until it is known. */
export function useWaiting(): number | undefined {
  const { data } = useQuery({ ...read('countWaiting'), select: ({ mine }) => mine });
  return data;
}

export function countWords(count: number): string {
  return count > COUNTED ? `${COUNTED}+` : String(count);
}
