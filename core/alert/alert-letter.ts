import type { Letter } from '../mail/letter.ts';
import { shownValue, unlinked } from './shown-value.ts';
import type { AlertWords } from './words.ts';

const MAX_VALUE_CHARS = 2_000;

/**
 * The mail of an alert, before its layout. No value appears in the subject, and none becomes a link (decision 35, an
 * approval is frozen).
 */
export function alertLetter(
  { title, facts, action }: AlertWords,
  why: { readonly rule: string } | 'approver',
  link: string | undefined,
): Letter {
  return {
    subject: title,
    paragraphs: [
      `${title}.`,
      ...facts.map(([label, value]) => `${label}: ${unlinked(shownValue(value, MAX_VALUE_CHARS))}`),
    ],
    ...(link === undefined ? {} : { action: { label: action, url: link } }),
    notes: [noteOf(why)],
  };
}

function noteOf(why: { readonly rule: string } | 'approver'): string {
  if (why === 'approver') return 'You get this mail because the endpoint names you as an approver.';
  return `You get this mail because of the alert rule "${unlinked(shownValue(why.rule, MAX_VALUE_CHARS))}".`;
}
