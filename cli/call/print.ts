import type { OutputEvent } from '@svc/core/execution/event';
import { bytesOf, textOf } from '@svc/core/execution/raw-output';
import { EXIT, Failure } from '../failure.ts';
import type { FollowedEvent } from './follow.ts';

/** Prints an event; returns the exit code for the last one. */
export function printEvent(event: FollowedEvent['event']): number | undefined {
  switch (event.type) {
    case 'output':
      printOutput(event);
      return undefined;
    case 'transformed_output':
      process.stdout.write(`${lines(event, JSON.stringify(event.data, null, 2))}\n`);
      return undefined;
    case 'done':
      return event.exit_code;
    case 'error':
      throw new Failure(event.error, { exitCode: EXIT.failed });
    case 'node':
      reportNode(event);
      return undefined;
    case 'run':
      return undefined;
  }
}

/** Raw stdout is written as bytes, and what the command wrote to stderr goes to stderr (decision 68, raw output). */
function printOutput(event: OutputEvent): void {
  if (event.encoding === 'base64') {
    // The filter of a terminal takes text, and other bytes would change how the terminal works.
    process.stdout.write(process.stdout.isTTY ? textOf(event) : bytesOf(event.data));
    return;
  }
  const stream = event.stream === 'stderr' ? process.stderr : process.stdout;
  stream.write(`${prefix(event)}${event.data}\n`);
}

/** Steps run in parallel, so each line starts with the name of its step. */
function prefix({ step }: { readonly step?: string }): string {
  return step === undefined ? '' : `${step} | `;
}

function lines(event: { readonly step?: string }, text: string): string {
  return text
    .split('\n')
    .map((line) => prefix(event) + line)
    .join('\n');
}

/** Reports the states of a node that its output does not show. */
function reportNode({
  node,
  state,
  exit_code,
  error,
}: Extract<FollowedEvent['event'], { type: 'node' }>): void {
  if (state === 'waiting_approval') process.stderr.write(`${node} needs approval: see svc approvals\n`);
  if (state === 'failed') process.stderr.write(`${node} failed: ${error ?? `exit code ${exit_code}`}\n`);
}
