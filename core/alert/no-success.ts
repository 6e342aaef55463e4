import type { AlertEvent } from './event.ts';
import { type AlertHeader, eventOf, timeText } from './make-event.ts';

/** The bounds of `no_success_mins`, in minutes: records are kept for 30 days, so a longer wait could miss a success. */
export const NO_SUCCESS_MINS = { min: 1, max: 28 * 24 * 60 } as const;

/** A rule that waits for a success of its endpoint or pipeline. */
export interface SuccessRule {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly slug: string;
  readonly noSuccessMins: number;
  readonly createdAtMs: number;
  /** When the alert was sent that no success has followed yet. */
  readonly alertedAtMs: number | undefined;
}

/** The start of the span in which a success decides about the rule. */
export function waitsSinceMs({ alertedAtMs, noSuccessMins }: SuccessRule, nowMs: number): number {
  return alertedAtMs ?? nowMs - noSuccessMins * 60_000;
}

/** Whether it is too early for an alert, whatever there is on record: a new rule waits its whole time. */
export function isTooEarly({ createdAtMs, noSuccessMins, alertedAtMs }: SuccessRule, nowMs: number): boolean {
  return alertedAtMs === undefined && createdAtMs + noSuccessMins * 60_000 > nowMs;
}

/**
 * The event that is due; undefined: none. An alert is sent once, and the next success ends it (decision 39, alerts).
 *
 * @param succeededAtMs the end of a success since `waitsSinceMs`; undefined: there is none
 */
export function successEvent(
  rule: SuccessRule,
  found: { readonly succeededAtMs: number | undefined; readonly isPipeline: boolean },
  header: AlertHeader,
): AlertEvent | undefined {
  const { id, name, slug, noSuccessMins, alertedAtMs } = rule;
  const { succeededAtMs, isPipeline } = found;
  const data = {
    rule_id: id,
    rule: name,
    endpoint: isPipeline ? null : slug,
    pipeline: isPipeline ? slug : null,
    no_success_mins: noSuccessMins,
    since: timeText((alertedAtMs ?? header.atMs) - noSuccessMins * 60_000),
  };
  if (alertedAtMs === undefined)
    return succeededAtMs === undefined ? eventOf(header, 'no_success_since', data, { slug }) : undefined;
  if (succeededAtMs === undefined) return undefined;
  const resumed = { ...data, succeeded_at: timeText(succeededAtMs) };
  return eventOf(header, 'success_resumed', resumed, { slug });
}
