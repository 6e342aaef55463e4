import { StoreDamaged } from './damage.ts';

/** True for a refusal whose cause is damaged data: another hint helps there than where the data is. */
export function isStoreDamaged(error: unknown): error is StoreDamaged {
  return error instanceof StoreDamaged;
}
