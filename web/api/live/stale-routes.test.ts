import { describe, expect, test } from 'bun:test';
import { ROUTES } from '@svc/core/api/routes';
import { AUDIT_TARGET_KINDS } from '@svc/core/audit/entry';
import { staleAfter } from './stale-routes.ts';

const ID = '019a9f3e-2a40-7d11-8e0a-6b0c9d1e4f22';

describe('routes that are read again', () => {
  test('after an execution changed: the lists, and the record itself but no other', () => {
    const stale = staleAfter({
      type: 'execution',
      execution_id: ID,
      endpoint: 'deploy',
      status: 'running',
      trigger: 'call',
    });
    expect(stale).toContainEqual({ route: 'listExecutions' });
    expect(stale?.filter(({ route }) => route === 'showExecution')).toEqual([
      { route: 'showExecution', id: ID },
    ]);
  });

  test.each([
    ['schedule', true],
    [undefined, true],
    ['call', false],
  ] as const)('after an execution with the trigger %p: the schedules: %p', (trigger, isStale) => {
    const event = { type: 'execution', execution_id: ID, endpoint: 'nightly', status: 'running' } as const;
    const stale = staleAfter({ ...event, ...(trigger && { trigger }) });
    expect(stale?.some(({ route }) => route === 'listSchedules')).toBe(isStale);
    expect(staleAfter({ type: 'executions', count: 300 })).toContainEqual({ route: 'listSchedules' });
  });

  test('after something may have been missed: everything', () => {
    expect(staleAfter({ type: 'reset' })).toBeUndefined();
    expect(staleAfter({ type: 'ready' })).toBeUndefined();
  });

  test.each(AUDIT_TARGET_KINDS.map((kind) => [kind]))(
    'after a change of %s: the log, and routes that there are',
    (kind) => {
      const stale =
        staleAfter({ type: 'change', action: 'endpoint.created', kind, id: ID, name: 'deploy' }) ?? [];
      expect(stale).toContainEqual({ route: 'listAudit' });
      for (const { route } of stale) expect(Object.keys(ROUTES)).toContain(route);
    },
  );
});
