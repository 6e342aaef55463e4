import { hash } from 'node:crypto';

/** What the store keeps of a token, and finds it by (decision 1). */
export function hashToken(token: string): string {
  return hash('sha256', token);
}
