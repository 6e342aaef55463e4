import { expect, test } from 'bun:test';
import type { Refusal } from '../refusal.ts';
import { decideEmailConfirmation, type EmailChange, type EmailSide } from './email-change.ts';

function change(more: Partial<EmailChange> = {}): EmailChange {
  return {
    id: 'c',
    userId: 'ada',
    fromEmail: 'ada@example.com',
    toEmail: 'ada@example.org',
    state: 'pending',
    revision: 0,
    createdAtMs: 0,
    expiresAtMs: 100,
    oldConfirmedAtMs: undefined,
    newConfirmedAtMs: undefined,
    closedAtMs: undefined,
    ...more,
  };
}

function outcome(of: EmailChange, side: EmailSide, nowMs: number): string {
  try {
    return decideEmailConfirmation(of, side, nowMs);
  } catch (error) {
    return (error as Refusal).code;
  }
}

test.each([
  [change(), 'old', 99, 'waits'],
  [change(), 'new', 99, 'waits'],
  [change({ oldConfirmedAtMs: 5 }), 'new', 99, 'completes'],
  [change({ newConfirmedAtMs: 5 }), 'old', 99, 'completes'],
  [change({ oldConfirmedAtMs: 5 }), 'old', 99, 'link_used'],
  [change({ newConfirmedAtMs: 5 }), 'new', 99, 'link_used'],
  [change(), 'old', 100, 'link_expired'],
  [change({ oldConfirmedAtMs: 5 }), 'new', 100, 'link_expired'],
  [change({ state: 'done', closedAtMs: 5 }), 'new', 6, 'link_used'],
  [change({ state: 'stopped', closedAtMs: 5 }), 'new', 6, 'link_withdrawn'],
  [change({ state: 'replaced', closedAtMs: 5 }), 'old', 6, 'link_withdrawn'],
  [change({ state: 'failed', closedAtMs: 5 }), 'old', 6, 'link_withdrawn'],
] as const)('%#: the address on the side %p confirms', (of, side, nowMs, expected) => {
  expect(outcome(of, side, nowMs)).toBe(expected);
});
