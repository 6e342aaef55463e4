import type { AuditOrigin, AuditSource } from '@svc/core/audit/entry';
import type { Member } from '../accounts/account-ports.ts';

export interface AuditSourceDeps {
  readonly addressOf: (request: Request) => string;
}

/** Browsers write lines of 100 to 200 characters; who writes more says nothing more. */
const USER_AGENT_CHARS = 300;

/** Who asks, and from where, as the audit log has it (decision 48). */
export function sourceOf(
  deps: AuditSourceDeps,
  request: Request,
  { userId, email }: Pick<Member, 'userId' | 'email'>,
): AuditSource {
  return { actor: { kind: 'member', id: userId, name: email }, from: originOf(deps, request) };
}

export function originOf(deps: AuditSourceDeps, request: Request): AuditOrigin {
  return {
    address: deps.addressOf(request),
    userAgent: request.headers.get('user-agent')?.slice(0, USER_AGENT_CHARS),
  };
}
