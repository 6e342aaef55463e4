import type { ExecutionEvent } from '@svc/core/execution/event';
import { EXIT, Failure } from '../failure.ts';

/** Prints an event as a terminal wants it; of the last one, answers the exit code. */
export function printEvent(event: ExecutionEvent): number | undefined {
  switch (event.type) {
    case 'output':
      process.stdout.write(`${event.data}\n`);
      return undefined;
    case 'transformed_output':
      process.stdout.write(`${JSON.stringify(event.data, null, 2)}\n`);
      return undefined;
    case 'done':
      return event.exit_code;
    case 'error':
      throw new Failure(event.error, { exitCode: EXIT.failed });
  }
}
