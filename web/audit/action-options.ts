import { AUDIT_ACTION_NAMES, AUDIT_ACTIONS, type AuditAction } from '@svc/core/audit/actions';

/** All actions, or one, in the words of the log. */
export const ACTION_OPTIONS: readonly { readonly value: AuditAction | ''; readonly label: string }[] = [
  { value: '', label: 'All actions' },
  ...AUDIT_ACTION_NAMES.map((value) => ({ value, label: sentenceCase(AUDIT_ACTIONS[value]) })),
];

function sentenceCase(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
