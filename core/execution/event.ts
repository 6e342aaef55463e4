import type { RefusalCode } from '../refusal.ts';

/** Why there is no result. `still_running`: only the response ended, and the execution or run continues. */
export type ErrorEventCode = RefusalCode | 'internal_error' | 'still_running';

/**
 * One line of output (decision 15, the event stream), or a part of one that is longer than 64 KiB (decision 56, deviations
 * from the specification).
 */
export interface OutputEvent {
  readonly type: 'output';
  readonly step?: string;
  /** The command wrote it to stderr, and its endpoint separates the two streams (decision 68, raw output). */
  readonly stream?: 'stderr';
  /** `data` is a piece of raw stdout, not a line of text. */
  readonly encoding?: 'base64';
  readonly data: string;
}

/** The whole result of a transform, once (decision 27, the transformer). */
export interface TransformedOutputEvent {
  readonly type: 'transformed_output';
  readonly step?: string;
  readonly data: unknown;
}

/** The command ended by itself, with any exit code (decision 17, exit codes and failures). */
export interface DoneEvent {
  readonly type: 'done';
  readonly step?: string;
  readonly exit_code: number;
  readonly duration_ms: number;
}

/** The execution failed: it could not start, took too long, was lost, or its transform failed. */
export interface ErrorEvent {
  readonly type: 'error';
  readonly step?: string;
  readonly error: string;
  /** For programs; absent from older servers. */
  readonly code?: ErrorEventCode;
  readonly execution_id?: string;
  readonly run_id?: string;
}

/**
 * An event of a stream in wire form (reference 6); `step` names the step of a pipeline run (decision 43, calling a
 * pipeline).
 */
export type ExecutionEvent = OutputEvent | TransformedOutputEvent | DoneEvent | ErrorEvent;

/** Reads the JSON of one event; undefined if it is none of the four, as a newer server may send. */
export function readEvent(json: string): ExecutionEvent | undefined {
  const value = parseObject(json);
  return value !== undefined && isEvent(value) ? value : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

function parseObject(json: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

function isEvent(value: Fields): value is Fields & ExecutionEvent {
  if (value.step !== undefined && typeof value.step !== 'string') return false;
  switch (value.type) {
    case 'output':
      // An encoding that this program cannot read must not pass for text.
      return typeof value.data === 'string' && (value.encoding === undefined || value.encoding === 'base64');
    case 'transformed_output':
      return 'data' in value;
    case 'done':
      return Number.isInteger(value.exit_code) && Number.isInteger(value.duration_ms);
    case 'error':
      return typeof value.error === 'string';
    default:
      return false;
  }
}
