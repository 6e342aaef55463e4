import type { AuditSource } from '@svc/core/audit/entry';

/** What was done on the machine of the hub, with this program: nobody has to sign in there. */
export function operatorSource(program: string): AuditSource {
  return {
    actor: { kind: 'operator', id: undefined, name: program },
    from: { address: undefined, userAgent: undefined },
  };
}
