import type { AuditSource } from '@svc/core/audit/entry';

/** The source of changes by `svc admin` on the hub's machine, where no one signs in. */
export function operatorSource(program: string): AuditSource {
  return {
    actor: { kind: 'operator', id: undefined, name: program },
    from: { address: undefined, userAgent: undefined },
  };
}
