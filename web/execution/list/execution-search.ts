import { EXECUTION_STATES, type ExecutionState } from '@svc/core/execution/state';
import type { api } from '../../api/client.ts';
import { LIST_PAGE } from '../../first-reads.ts';
import type { WireExecution } from '../wire-execution.ts';
import { TRIGGER_WORDS } from './execution-words.ts';

export type ExecutionQuery = Omit<
  NonNullable<NonNullable<Parameters<typeof api.listExecutions>[0]>['query']>,
  'limit' | 'cursor'
>;

type Trigger = WireExecution['trigger'];

const HOUR_MS = 3_600_000;
/** The ranges of time that the list and its chart offer. */
export const RANGES = {
  day: { label: '24 hours', ms: 24 * HOUR_MS, bucket: 'hour' },
  week: { label: '7 days', ms: 7 * 24 * HOUR_MS, bucket: 'hour' },
  month: { label: '30 days', ms: 30 * 24 * HOUR_MS, bucket: 'day' },
} as const;
export type TimeRange = keyof typeof RANGES;

/** The filters in the query of the list. */
export interface ExecutionSearch {
  readonly endpoint?: string;
  /** One or several states, joined by commas. */
  readonly status?: string;
  readonly trigger?: Trigger;
  readonly agent?: string;
  /** The id of a member or an API key. */
  readonly caller?: string;
  /** A value of the call: `branch=main`. */
  readonly arg?: string;
  /** Words of the output. */
  readonly output?: string;
  /** The time before now. */
  readonly range?: TimeRange;
  /** A part of that time, RFC 3339. */
  readonly from?: string;
  readonly until?: string;
}

const ARGUMENT = /^[^=]+=/;

/** Reads the filters and ignores invalid values. */
export function readExecutionSearch(search: Readonly<Record<string, unknown>>): ExecutionSearch {
  const { status, trigger, arg, range, from, until } = search;
  const states = statesOf(status);
  return {
    ...textOf(search, 'endpoint'),
    ...(states.length > 0 && { status: states.join(',') }),
    ...(isTrigger(trigger) && { trigger }),
    ...textOf(search, 'agent'),
    ...textOf(search, 'caller'),
    ...(typeof arg === 'string' && ARGUMENT.test(arg) && { arg }),
    ...textOf(search, 'output'),
    ...(isRange(range) && { range }),
    ...(isTime(from) && { from }),
    ...(isTime(until) && { until }),
  };
}

/** The filters as the API takes them, at a moment. */
export function queryOf({ status, range, from, ...others }: ExecutionSearch, nowMs: number): ExecutionQuery {
  const begin = from ?? (range && new Date(nowMs - RANGES[range].ms).toISOString());
  return { ...others, ...(status && { status: statesOf(status) }), ...(begin && { from: begin }) };
}

/** The filters of the list, which reads the values of each call only for their column. */
export function filtersOf(search: ExecutionSearch, nowMs: number, hasArguments: boolean): ExecutionQuery {
  return { ...queryOf(search, nowMs), ...(hasArguments && { with: 'args' as const }) };
}

/** The query of the first page of the list. */
export function firstPageOf(filters: ExecutionQuery) {
  return { ...filters, limit: LIST_PAGE };
}

/** The valid states in a text such as `failed,lost`. */
export function statesOf(text: unknown): ExecutionState[] {
  const words = typeof text === 'string' ? text.split(',') : [];
  return EXECUTION_STATES.filter((state) => words.includes(state));
}

function textOf<Name extends string>(search: Readonly<Record<string, unknown>>, name: Name) {
  const value = search[name];
  return typeof value === 'string' && value !== '' ? ({ [name]: value } as Record<Name, string>) : {};
}

function isTrigger(value: unknown): value is Trigger {
  return typeof value === 'string' && Object.hasOwn(TRIGGER_WORDS, value);
}

function isRange(value: unknown): value is TimeRange {
  return typeof value === 'string' && Object.hasOwn(RANGES, value);
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));
}
