import type { AuditOrigin, AuditSource } from '@svc/core/audit/entry';
import type { Member } from '../../engine/ports/accounts.ts';
import type { HubContext } from '../context.ts';

/** Browsers write lines of 100 to 200 characters; who writes more says nothing more. */
const USER_AGENT_CHARS = 300;

/** Who asks, and from where, as the audit log has it (decision 48). */
export function sourceOf(
  context: HubContext,
  request: Request,
  { userId, email }: Pick<Member, 'userId' | 'email'>,
): AuditSource {
  return { actor: { kind: 'member', id: userId, name: email }, from: originOf(context, request) };
}

export function originOf(context: Pick<HubContext, 'addressOf'>, request: Request): AuditOrigin {
  return {
    address: context.addressOf(request),
    userAgent: request.headers.get('user-agent')?.slice(0, USER_AGENT_CHARS),
  };
}
