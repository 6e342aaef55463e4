import { isSlug } from '@svc/core/endpoint/slug';
import { collectValues } from '@svc/core/endpoint/value/collect-values';
import { refuse } from '@svc/core/refusal';
import { z } from 'zod';
import { callEndpoint } from '../../engine/execution/call-endpoint.ts';
import type { HubContext } from '../context.ts';
import type { Handlers } from '../routes/handler.ts';
import { readObject } from '../routes/read-object.ts';
import { acceptedResponse } from './accepted.ts';
import { executionLinks } from './links.ts';

const wanted = z.strictObject({
  endpoint: z.string({ error: 'a slug expected' }).refine(isSlug, { error: 'a slug expected' }),
  args: z.record(z.string(), z.unknown()).default({}),
});

/** Runs an endpoint for a member; its output is read with the URLs in the answer (decision 14). */
export function startRoute(context: HubContext): Pick<Handlers, 'startExecution'> {
  return {
    async startExecution({ request, acting: { member, workspace, access } }) {
      const { endpoint: slug, args } = await readObject(request, wanted);
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
