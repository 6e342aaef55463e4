import { expect, test } from 'bun:test';
import type { AuditEntry } from '@svc/core/audit/entry';
import { auditEntry, NOW_MS, newWorkspace } from '../platform/db/fixtures/samples.ts';
import { storeOfTests } from '../platform/db/fixtures/stores.ts';
import { changeAiAccess } from './change-ai-access.ts';

const store = storeOfTests();

test('a change meets another one, and its audit entry names the access that it replaced', async () => {
  const { accounts } = store();
  const { workspaceId, userId } = await newWorkspace(store(), 'ada@example.org');
  const details: AuditEntry['details'][] = [];
  let reads = 0;
  const deps = {
    accounts: {
      async workspaceById(id: string) {
        const workspace = await accounts.workspaceById(id);
        reads += 1;
        // Another change comes between the first read and the write.
        if (reads === 1)
          await accounts.changeAiAccess({ workspaceId, from: 'all', to: 'off' }, auditEntry(workspaceId));
        return workspace;
      },
      changeAiAccess(...change: Parameters<typeof accounts.changeAiAccess>) {
        details.push(change[1].details);
        return accounts.changeAiAccess(...change);
      },
    },
    clock: { nowMs: () => NOW_MS, at: () => () => undefined },
    credentials: { hasAgentToken: () => Promise.resolve(false) },
    openStreams: { recheck: () => Promise.resolve() },
  };
  const { actor, from } = auditEntry(workspaceId);
  const credential = { kind: 'session', userId } as const;
  await changeAiAccess(deps, { workspaceId, access: 'read_only', credential, by: { actor, from } });
  expect((await accounts.workspaceById(workspaceId))?.aiAccess).toBe('read_only');
  expect(details).toEqual([
    { from: 'all', to: 'read_only' },
    { from: 'off', to: 'read_only' },
  ]);
});
