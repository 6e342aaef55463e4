import type { WaitingReason } from './waiting.ts';

/** The facts that decide whether an execution begins now. */
export interface Situation<Process> {
  /** The agent process chosen for it (decision 31, which agent runs an endpoint); undefined: none is connected. */
  readonly process: Process | undefined;
  /** How many executions of its endpoint run, and slots are reserved for. */
  readonly running: number;
  /** Undefined: the endpoint has no limit. */
  readonly maxConcurrent: number | undefined;
}

/** The process that an execution is dispatched to, or the reason why it waits. */
export type Placement<Process> =
  | { readonly kind: 'dispatch'; readonly process: Process }
  | { readonly kind: 'wait'; readonly reason: Extract<WaitingReason, 'no_agent' | 'busy'> };

/** Decides where an execution begins. The caller reserves the slot before it awaits anything, so the decision stays true. */
export function place<Process>({ process, running, maxConcurrent }: Situation<Process>): Placement<Process> {
  if (process === undefined) return { kind: 'wait', reason: 'no_agent' };
  return hasRoom(running, maxConcurrent) ? { kind: 'dispatch', process } : { kind: 'wait', reason: 'busy' };
}

/** Whether one more execution of an endpoint may begin. */
export function hasRoom(running: number, maxConcurrent: number | undefined): boolean {
  return maxConcurrent === undefined || running < maxConcurrent;
}
