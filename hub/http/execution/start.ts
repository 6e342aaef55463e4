import type { Approval } from '@svc/core/approval/approval';
import { collectValues } from '@svc/core/endpoint/value/collect-values';
import { refuse } from '@svc/core/refusal';
import { callEndpoint } from '../../engine/execution/call-endpoint.ts';
import { heldBody } from '../call/answer-held.ts';
import type { HubContext } from '../context.ts';
import { objectResponse } from '../json-response.ts';
import type { Handlers } from '../routes/handler.ts';
import { acceptedResponse } from './accepted.ts';
import { executionLinks } from './links.ts';

/** Runs an endpoint for a member; its output is read with the URLs in the answer (decision 14). */
export function startRoute(context: HubContext): Pick<Handlers, 'startExecution'> {
  return {
    async startExecution({ request, body: { endpoint: slug, args }, acting: { member, workspace, access } }) {
      const target = await context.lookups.endpoint(workspace.id, slug);
      if (target === undefined) throw refuse('not_found', 'there is no such endpoint');
      const called = await callEndpoint(context, {
        workspace,
        target,
        method: 'POST',
        values: collectValues({ query: [], body: args }),
        trigger: access.kind === 'session' ? 'dashboard' : 'call',
        callerKind: 'member',
        callerId: member.userId,
        from: context.addressOf(request),
        asynchronous: true,
        readTokenHash: undefined,
        idempotencyKey: undefined,
      });
      if (called.kind === 'held') return heldExecution(context, called.approval);
      const id = called.kind === 'running' ? called.running.live.id : called.execution.id;
      return acceptedResponse(id, 'running', executionLinks(context.settings.baseUrl, id));
    },
  };
}

/** It waits for a person: what it was answered with, and where it stands. */
function heldExecution(context: HubContext, approval: Approval): Response {
  const links = executionLinks(context.settings.baseUrl, approval.executionId);
  const body = {
    execution_id: approval.executionId,
    ...heldBody(context, approval),
    status_url: links.statusUrl,
    stream_url: links.streamUrl,
  };
  return objectResponse(body, 202, {
    'X-Execution-Id': approval.executionId,
    Location: `${context.settings.baseUrl}/approvals/${approval.id}`,
  });
}
