import { collectValues } from '@svc/core/endpoint/value/collect-values';
import { refuse } from '@svc/core/refusal';
import { callEndpoint } from '../../engine/execution/call-endpoint.ts';
import type { HubContext } from '../context.ts';
import type { Handlers } from '../routes/handler.ts';
import { acceptedResponse } from './accepted.ts';
import { executionLinks } from './links.ts';

/** Runs an endpoint for a member; its output is read with the URLs in the answer (decision 14). */
export function startRoute(context: HubContext): Pick<Handlers, 'startExecution'> {
  return {
    async startExecution({ body: { endpoint: slug, args }, acting: { member, workspace, access } }) {
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
        asynchronous: true,
        readTokenHash: undefined,
        idempotencyKey: undefined,
      });
      const id = called.kind === 'running' ? called.running.live.id : called.execution.id;
      return acceptedResponse(id, 'running', executionLinks(context.settings.baseUrl, id));
    },
  };
}
