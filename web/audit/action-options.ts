import { AUDIT_ACTION_NAMES, AUDIT_ACTIONS, type AuditAction } from '@svc/core/audit/actions';

/** Everything, or one kind of change, in the words of the log. */
export const ACTION_OPTIONS: readonly { readonly value: AuditAction | ''; readonly label: string }[] = [
  { value: '', label: 'Everything' },
  ...AUDIT_ACTION_NAMES.map((value) => ({ value, label: `Who ${AUDIT_ACTIONS[value]}` })),
];
