import type { AuditOrigin, AuditSource } from '@svc/core/audit/entry';
import type { Member } from '../accounts/account-ports.ts';

export interface AuditSourceDeps {
  readonly addressOf: (request: Request) => string;
}

/** The limit of a recorded `User-Agent`; those of browsers have 100 to 200 characters. */
const USER_AGENT_CHARS = 300;

/** The source of a request for the audit log: member, address and client (decision 48, the audit log). */
export function sourceOf(
  deps: AuditSourceDeps,
  request: Request,
  { userId, email, isServiceAccount }: Pick<Member, 'userId' | 'email' | 'isServiceAccount'>,
): AuditSource {
  const kind = isServiceAccount ? 'service_account' : 'member';
  return { actor: { kind, id: userId, name: email }, from: originOf(deps, request) };
}

export function originOf(deps: AuditSourceDeps, request: Request): AuditOrigin {
  return {
    address: deps.addressOf(request),
    userAgent: request.headers.get('user-agent')?.slice(0, USER_AGENT_CHARS),
  };
}
