import type { Outcome } from './statement.ts';

/** What an aggregate is told of its unit: `stored`, or the tag of the refusal. A failure is a bug and thrown. */
export function told<Tag extends string>(outcome: Outcome): Tag | 'stored' {
  switch (outcome.kind) {
    case 'stored':
      return 'stored';
    case 'refused':
      // Only tags of the unit's own statements come back.
      return outcome.tag as Tag;
    case 'failed':
      throw outcome.error;
  }
}
