import { hash } from 'node:crypto';

/** The hash by which the store keeps and finds a token (decision 1). */
export function hashToken(token: string): string {
  return hash('sha256', token);
}
