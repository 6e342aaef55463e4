import { accessToControl, accessToExecution } from '@svc/core/execution/access';
import type { Ended } from '@svc/core/execution/outcome';
import { hasEnded } from '@svc/core/execution/state';
import { promisedResult, type ToolResult } from '@svc/core/mcp/call-result';
import { LIMITS } from '@svc/core/plan/limits';
import { cancelExecution } from '../approvals/cancel-execution.ts';
import type { Execution } from '../executions/execution-ports.ts';
import type { RunEndpointDeps } from './agent-side.ts';
import { recordedResult, visibleExecution } from './own-tools.ts';
import { openFor, sealFor } from './sealed-state.ts';
import type { Visit } from './visit.ts';

/** The extension by which a client declares that it can poll (modelcontextprotocol/ext-tasks). */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

const POLL_MS = 1_000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A task is the record of an execution, so it outlives its hub and can be read at any other. */
export interface Task {
  readonly taskId: string;
  readonly status: 'working' | 'completed' | 'cancelled';
  readonly statusMessage: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
}

/** The first response to a call that takes too long for one connection. */
export interface NewTask extends Task {
  readonly resultType: 'task';
}

/** @throws `not_found` when the record was removed */
export async function newTask(deps: RunEndpointDeps, visit: Visit, executionId: string): Promise<NewTask> {
  const execution = await visibleExecution(deps, visit, executionId, accessToExecution);
  const taskId = sealFor(deps.vault, visit, 'task', { executionId });
  const { status: _status, ...task } = await taskOf(deps, execution, taskId);
  // If the execution has ended in the meantime, tasks/get returns its result.
  return { resultType: 'task', ...task, status: 'working' };
}

/** The current state of a task, with its result once it has ended. Undefined: the agent has no task with this id. */
export async function showTask(
  deps: RunEndpointDeps,
  visit: Visit,
  taskId: string,
): Promise<(Task & { readonly result?: ToolResult }) | undefined> {
  const execution = await executionOf(deps, visit, taskId);
  if (execution === undefined) return undefined;
  const task = await taskOf(deps, execution, taskId);
  if (task.status !== 'completed') return task;
  const target = await deps.endpoints.byId(execution.endpointId);
  const result = await recordedResult(deps, execution);
  return { ...task, result: promisedResult(result, target?.endpoint.transform?.schema !== undefined) };
}

/** Requests a cancellation. False: the agent has no task with this id. */
export async function cancelTask(deps: RunEndpointDeps, visit: Visit, taskId: string): Promise<boolean> {
  const execution = await executionOf(deps, visit, taskId, accessToControl);
  if (execution === undefined) return false;
  if (!hasEnded(execution.state)) await cancelExecution(deps, execution);
  return true;
}

export async function isTask(deps: RunEndpointDeps, visit: Visit, taskId: string): Promise<boolean> {
  return (await executionOf(deps, visit, taskId)) !== undefined;
}

async function executionOf(
  deps: RunEndpointDeps,
  visit: Visit,
  taskId: string,
  access = accessToExecution,
): Promise<Execution | undefined> {
  const opened = openFor(deps.vault, visit, 'task', taskId) as { executionId: string } | undefined;
  return opened && (await visibleExecution(deps, visit, opened.executionId, access).catch(() => undefined));
}

async function taskOf(
  { approvals, clock }: RunEndpointDeps,
  execution: Execution,
  taskId: string,
): Promise<Task> {
  const { id, state, createdAtMs, queuedAtMs, startedAtMs, endedAtMs } = execution;
  const approval = state === 'pending_approval' ? await approvals.ofExecution(id) : undefined;
  const leftMs = createdAtMs + LIMITS.recordsKeptDays * DAY_MS - clock.nowMs();
  return {
    taskId,
    status: !hasEnded(state) ? 'working' : state === 'cancelled' ? 'cancelled' : 'completed',
    statusMessage:
      approval === undefined
        ? `${WORDS[state] ?? state}: execution ${id}`
        : `waits for approval by a signed-in member until ${timeOf(approval.expiresAtMs)}: execution ${id}`,
    createdAt: timeOf(createdAtMs),
    lastUpdatedAt: timeOf(endedAtMs ?? startedAtMs ?? queuedAtMs ?? createdAtMs),
    ttlMs: Math.max(0, leftMs),
    pollIntervalMs: POLL_MS,
  };
}

const WORDS: Readonly<Partial<Record<Ended['state'] | Execution['state'], string>>> = {
  queued: 'waits for its turn',
  running: 'runs',
};

function timeOf(atMs: number): string {
  return new Date(atMs).toISOString();
}
