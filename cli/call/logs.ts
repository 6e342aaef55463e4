import { EXECUTION_STATES } from '@svc/core/execution/state';
import { apiOf, orFail } from '../service/api.ts';
import { findService } from '../service/find-service.ts';
import type { Service } from '../service/service.ts';
import { writeRows } from '../terminal.ts';
import { followExecution } from './follow.ts';
import type { LogsOptions } from './options.ts';
import { printEvent } from './print.ts';

const LONGEST = Math.max(...EXECUTION_STATES.map((state) => state.length));

/** `svc logs`: replays an execution and follows it, or lists the newest. */
export async function logs(executionId: string | undefined, options: LogsOptions): Promise<void> {
  const service = findService(options, process.env);
  if (executionId === undefined) {
    await list(service, options.json === true);
    return;
  }
  for await (const { id, event } of followExecution(service, executionId, options.after)) {
    if (options.json) process.stdout.write(`${JSON.stringify({ id, ...event })}\n`);
    else printEvent(event);
  }
}

async function list(service: Service, json: boolean): Promise<void> {
  const { items } = await orFail(apiOf(service).listExecutions());
  if (json) {
    for (const item of items) process.stdout.write(`${JSON.stringify(item)}\n`);
    return;
  }
  const rows = items.map(({ execution_id, endpoint, status, created_at }) => ({
    label: execution_id,
    text: `${created_at}  ${status.padEnd(LONGEST)}  ${endpoint}`,
  }));
  if (rows.length > 0) writeRows(process.stdout, rows);
  else process.stderr.write('nothing was executed yet\n');
}
