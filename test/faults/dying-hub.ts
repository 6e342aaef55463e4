// A process of a hub that is killed by SIGKILL right after the n-th thing that it has put on record of runs, executions and
// approvals, before it can act on it; with -n right before it is on record. bun dying-hub.ts <n>, configured by the
// environment; 0: it is not killed. Says on stdout when it listens.

import { StoredApprovals } from '@svc/hub/approvals/store/approval-store';
import { readHubConfig } from '@svc/hub/config';
import { StoredLedger } from '@svc/hub/executions/store/execution-store';
import { startHub } from '@svc/hub/main';
import { PipelineRuns } from '@svc/hub/pipelines/runs/store/run-store';

const dies = Number(process.argv[2]);
let writes = 0;
const underWay = new Set<Promise<unknown>>();

/** The writes of an aggregate count from now on. */
function count(prototype: object, names: readonly string[]): void {
  const methods = prototype as Record<string, (...given: unknown[]) => Promise<unknown>>;
  for (const name of names) {
    const write = methods[name];
    if (write === undefined) throw new Error(`nothing is stored by "${name}"`);
    methods[name] = async function (this: object, ...given: unknown[]) {
      writes += 1;
      const isLast = writes === Math.abs(dies);
      if (isLast && dies < 0) {
        // Those before it may continue at the same time: without them a life could have no result, and so could all that
        // follow.
        await Promise.allSettled(underWay);
        // Actions that came before their commit become visible: no caller may have got anything that is not on record.
        await Bun.sleep(50);
        process.kill(process.pid, 'SIGKILL');
      }
      const writing = write.apply(this, given);
      underWay.add(writing);
      const outcome = await writing.finally(() => underWay.delete(writing));
      if (isLast) process.kill(process.pid, 'SIGKILL');
      return outcome;
    };
  }
}

count(PipelineRuns.prototype, ['start', 'change']);
count(StoredLedger.prototype, ['begin', 'append', 'finish', 'finishQueued']);
count(StoredApprovals.prototype, ['close']);

const hub = await startHub({ config: readHubConfig(process.env), version: '0.0.0' });
process.stdout.write(`${hub.hubUrl}\n`);
