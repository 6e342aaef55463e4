import { expect, test } from 'bun:test';
import { type DescribeRunDeps, describeWholeRun } from './run-routes.ts';

type Describe = Parameters<typeof describeWholeRun>;

test('a node that waits for approval has its attempt, though the run continues between two reads', async () => {
  let isHeld = false;
  const deps = {
    runs: {
      async nodes() {
        await Promise.resolve();
        // The turn that holds the step commits while the description is read.
        isHeld = true;
        return [{ id: 'ask', state: 'waiting_approval', attempt: 1 }];
      },
      executions: async () =>
        isHeld ? [{ id: 'e1', step: { id: 'ask', attempt: 1 }, state: 'pending_approval' }] : [],
      input: async () => undefined,
    },
    approvals: { ofExecution: async (executionId: string) => ({ id: 'a1', executionId }) },
    graphs: { get: () => undefined },
    pipelines: { version: async () => undefined },
    settings: { baseUrl: 'http://hub' },
  } as unknown as DescribeRunDeps;
  const run = { id: 'r1', head: { state: 'running' }, createdAtMs: 0 } as Describe[1];
  const { nodes } = await describeWholeRun(
    deps,
    run,
    { statusUrl: '', streamUrl: '' } as Describe[2],
    undefined,
  );
  expect(nodes).toMatchObject([{ status: 'waiting_approval', attempts: [{ approval_id: 'a1' }] }]);
});
