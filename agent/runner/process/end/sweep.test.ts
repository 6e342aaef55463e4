import { expect, test } from 'bun:test';
import { runs } from '../fixtures/processes.ts';
import { sweepExecution } from './sweep.ts';

/** A process with this environment. A shell that has printed is past its exec and does not change. */
async function processWith(env: Record<string, string>) {
  const child = Bun.spawn(['/bin/sh', '-c', 'echo; read line'], {
    env,
    stdin: 'pipe',
    stdout: 'pipe',
  });
  await child.stdout.getReader().read();
  return child;
}

test('kills exactly the processes with the id, wherever it is in the environment', async () => {
  const id = crypto.randomUUID();
  const carriers = await Promise.all([
    processWith({ SVC_EXECUTION_ID: id }),
    processWith({ A: '1', SVC_EXECUTION_ID: id }),
    processWith({ SVC_EXECUTION_ID: id, Z: '1' }),
  ]);
  const others = await Promise.all([
    processWith({ SVC_EXECUTION_ID: `${id}0` }),
    processWith({ SVC_EXECUTION_ID: id.slice(0, -1) }),
    processWith({ X_SVC_EXECUTION_ID: id }),
    processWith({ A: `SVC_EXECUTION_ID=${id}` }),
    processWith({ A: `\nSVC_EXECUTION_ID=${id}` }),
    processWith({}),
  ]);
  expect(await sweepExecution(id)).toBe(carriers.length);
  expect(others.map(({ pid }) => runs(pid))).toEqual(others.map(() => true));
  for (const child of others) child.kill('SIGKILL');
  for (const child of carriers) expect(await child.exited).toBe(137);
});

test('concurrent sweeps of several executions share their passes without mixing', async () => {
  const ids = Array.from({ length: 5 }, () => crypto.randomUUID());
  const spared = await processWith({ SVC_EXECUTION_ID: crypto.randomUUID() });
  await Promise.all(ids.map((id) => processWith({ SVC_EXECUTION_ID: id })));
  const [first = ''] = ids;
  const killed = await Promise.all([...ids, first].map(sweepExecution));
  expect(killed).toEqual([1, 1, 1, 1, 1, 1]);
  expect(runs(spared.pid)).toBe(true);
  spared.kill('SIGKILL');
});

test('a sweep for an unused id is quick', async () => {
  expect(await sweepExecution(crypto.randomUUID())).toBe(0);
});

test('the sweeping process is spared although it has the id', async () => {
  const id = crypto.randomUUID();
  const sweep = new URL('./sweep.ts', import.meta.url).pathname;
  const code = `const { sweepExecution } = await import('${sweep}'); console.log(await sweepExecution('${id}'))`;
  const child = Bun.spawn([process.execPath, '-e', code], {
    env: { SVC_EXECUTION_ID: id },
    stdin: 'ignore',
    stdout: 'pipe',
  });
  expect(await new Response(child.stdout).text()).toBe('0\n');
});
