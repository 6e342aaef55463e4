import { accessToExecution, type Caller } from '@svc/core/execution/access';
import { END_ID, readPosition } from '@svc/core/execution/event-ids';
import { hashToken } from '../../engine/account/hash-token.ts';
import { identify } from '../../engine/account/identify.ts';
import { followExecution } from '../../engine/execution/follow-execution.ts';
import type { Execution } from '../../engine/ports/executions.ts';
import type { HubContext } from '../context.ts';
import { eventStream } from '../execution/event-stream.ts';
import { watchCaller } from '../routes/watch-caller.ts';
import { tokenOf } from './credential.ts';

const EVENT_ID = /^([0-9a-f-]{36})(?:\.([0-9a-f]{64}))?(?:\/(.*))?$/;

/**
 * A request that says what it saw last: goes on there, or is told that there is nothing more. It never runs anything
 * (decision 22).
 */
export async function resumeCall(
  context: HubContext,
  request: Request,
  caller: Caller,
  lastEventId: string,
): Promise<Response> {
  const [, id = '', readToken, position = '0'] = EVENT_ID.exec(lastEventId) ?? [];
  const after = readPosition(position);
  const execution = id === '' ? undefined : await context.ledger.find(id);
  if (
    execution === undefined ||
    !maySee(caller, execution, readToken) ||
    after === undefined ||
    after === END_ID
  )
    return new Response(null, { status: 204 });
  context.keepOpen(request);
  const name = readToken === undefined ? id : `${id}.${readToken}`;
  const isAllowed = (again: Caller) => maySee(again, execution, readToken);
  return eventStream({
    following: followExecution(context, execution, after.seq - 1),
    request,
    after,
    clock: context.clock,
    headers: { 'X-Execution-Id': id },
    ids: { prefix: `${name}/`, first: undefined },
    greets: true,
    watch: watchCaller(context, caller, () => identify(context, tokenOf(request)), isAllowed),
    onLeave: () => undefined,
    reportBug: context.reportBug,
  });
}

function maySee(caller: Caller, execution: Execution, readToken: string | undefined): boolean {
  if (readToken !== undefined && execution.readTokenHash === hashToken(readToken)) return true;
  return accessToExecution(caller, execution) === 'allowed';
}
