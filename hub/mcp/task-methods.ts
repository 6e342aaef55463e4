import {
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { RunEndpointDeps } from './agent-side.ts';
import { declaredBy } from './client-capabilities.ts';
import { cancelTask, isTask, showTask, TASKS_EXTENSION } from './tasks.ts';
import type { Visit } from './visit.ts';

const params = z.looseObject({ taskId: z.string() });

/** The methods by which a client polls and cancels tasks. They refuse a client that did not declare the extension. */
export function addTaskMethods({ server }: McpServer, deps: RunEndpointDeps, visit: Visit): void {
  server.setRequestHandler('tasks/get', { params }, async ({ taskId }, ctx) => {
    refuseUndeclared(ctx);
    const task = await showTask(deps, visit, taskId);
    if (task === undefined) throw noSuchTask();
    return { ...task };
  });
  server.setRequestHandler('tasks/cancel', { params }, async ({ taskId }, ctx) => {
    refuseUndeclared(ctx);
    if (!(await cancelTask(deps, visit, taskId))) throw noSuchTask();
    return {};
  });
  // No task of svc asks for input, because the caller must not give an approval.
  server.setRequestHandler('tasks/update', { params }, async ({ taskId }, ctx) => {
    refuseUndeclared(ctx);
    if (!(await isTask(deps, visit, taskId))) throw noSuchTask();
    return {};
  });
}

export function canPoll(ctx: ServerContext): boolean {
  return declaredBy(ctx)?.extensions?.[TASKS_EXTENSION] !== undefined;
}

function refuseUndeclared(ctx: ServerContext): void {
  if (canPoll(ctx)) return;
  const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities });
}

/** One response for tasks of others, removed tasks, and unknown ids. */
function noSuchTask(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'there is no such task');
}
