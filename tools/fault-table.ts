/** Where a fault is injected. */
export const PLACES = ['svc serve', 'SQLite', 'PostgreSQL', 'hubs'] as const;
export type Place = (typeof PLACES)[number];

/** Tests that inject a fault: those of a file whose whole name begins or ends so, or has this in it. */
export interface FaultTests {
  readonly on: readonly Place[];
  readonly file: string;
  readonly name: string;
}

/** A line of the reliability list, what callers and operators see of it, and what injects it for real. */
export interface Fault {
  readonly fault: string;
  readonly sees: string;
  readonly tests: readonly FaultTests[];
}

const ONE_HUB = ['SQLite'] as const;
const POSTGRES = ['PostgreSQL'] as const;
const HUBS = ['hubs'] as const;
const STANDALONE = ['svc serve'] as const;
const BOTH = ['SQLite', 'PostgreSQL'] as const;
const EVERYWHERE = ['svc serve', 'SQLite', 'PostgreSQL', 'hubs'] as const;

/** The same tests on each place; on PostgreSQL and on several hubs they are loaded by a file of their own. */
const transitions = (name: string): FaultTests[] => [
  { on: ONE_HUB, file: 'test/faults/transitions.test.ts', name },
  { on: POSTGRES, file: 'test/faults/elsewhere/transitions-postgres.test.ts', name },
  { on: HUBS, file: 'test/faults/elsewhere/transitions-hubs.test.ts', name },
];
const link = (name: string): FaultTests[] => [
  { on: ONE_HUB, file: 'test/faults/link.test.ts', name },
  { on: POSTGRES, file: 'test/faults/elsewhere/link-postgres.test.ts', name },
];
const volume = (name: string): FaultTests[] => [
  { on: ONE_HUB, file: 'test/faults/volume.test.ts', name },
  { on: POSTGRES, file: 'test/faults/elsewhere/volume-postgres.test.ts', name },
  { on: HUBS, file: 'test/faults/elsewhere/volume-hubs.test.ts', name },
];
const RANDOM_KILLS: readonly FaultTests[] = [
  { on: ONE_HUB, file: 'test/cluster/random-kills.test.ts', name: 'one hub on SQLite' },
  { on: HUBS, file: 'test/cluster/random-kills.test.ts', name: 'three hubs' },
];

/** The list of goals.md, line by line, and what belongs to it. */
export const FAULTS: readonly Fault[] = [
  {
    fault: '`kill -9` of a hub at every transition of an execution',
    sees: 'callers lose their connection; the execution runs on, once, and its whole output and end are on record',
    tests: [
      ...transitions('when kill -9 hits the hub'),
      { on: ONE_HUB, file: 'test/spec/hub-killed.test.ts', name: '' },
      { on: BOTH, file: 'hub/platform/db/crash.test.ts', name: '' },
      { on: POSTGRES, file: 'test/spec/hub-thought-dead.test.ts', name: '' },
    ],
  },
  {
    fault:
      '`kill -9` of a hub at every transition of a pipeline run, around a decision, while it fires or deletes',
    sees: 'the run continues at the next start, or at another hub within 20 s; a decision that was answered counts',
    tests: [
      { on: ONE_HUB, file: 'test/faults/pipeline-killed.test.ts', name: '' },
      { on: ONE_HUB, file: 'test/spec/approval-killed.test.ts', name: '' },
      { on: ONE_HUB, file: 'test/faults/schedules.test.ts', name: '' },
      { on: ONE_HUB, file: 'test/faults/deletion-killed.test.ts', name: '' },
      { on: ONE_HUB, file: 'test/faults/alerts.test.ts', name: '' },
      { on: POSTGRES, file: 'test/spec/pipeline-engine-hubs.test.ts', name: '' },
    ],
  },
  {
    fault: '`kill -9` of an agent, a host of containers or a hub while files are sent',
    sees: 'after the restart the process sends the rest, or the list of files says what is missing; the sweep leaves no file or mount behind',
    tests: [
      { on: ONE_HUB, file: 'test/faults/artifacts-killed.test.ts', name: '' },
      { on: ONE_HUB, file: 'test/faults/spool-object-store.test.ts', name: '' },
      { on: ONE_HUB, file: 'test/containers/host-artifacts.test.ts', name: '' },
    ],
  },
  {
    fault: '`kill -9` of an agent at every transition',
    sees: 'what had begun is `lost`, with the output that was there, and never runs again; what had not begun runs',
    tests: [
      ...transitions('when kill -9 hits the agent'),
      ...transitions('an order that is in the journal'),
      { on: ONE_HUB, file: 'test/faults/agent-killed.test.ts', name: '' },
    ],
  },
  {
    fault: 'the state folder of an agent is damaged, cut, missing or an older copy',
    sees: 'executions that had begun end as `lost`, and never run again; the agent is a new instance, and an alert says so',
    tests: [{ on: ONE_HUB, file: 'test/faults/journal-damaged.test.ts', name: '' }],
  },
  {
    fault: 'any process killed at random, links cut and clocks that jump, under load',
    sees: '503, 502 or a broken connection; nothing acknowledged is lost or done twice',
    tests: RANDOM_KILLS,
  },
  {
    fault: 'a link cut for 5 s and for 60 s',
    sees: '`agent_offline` for new calls, at once; running executions continue, and their callers get all of it',
    tests: [
      ...link('a link that is cut for'),
      { on: HUBS, file: 'test/cluster/dispatch.test.ts', name: 'agent moves' },
    ],
  },
  {
    fault: 'a half-open link, and one that repeats every frame three times',
    sees: 'both sides notice within 30 s; then as a link that was cut',
    tests: [
      ...link('swallows everything'),
      ...link('delivers everything three times'),
      ...RANDOM_KILLS.slice(1),
    ],
  },
  {
    fault: 'a slow reader',
    sees: 'it paces the command for 30 s, then is dropped while the execution continues',
    tests: [
      { on: STANDALONE, file: 'test/spec/volume.test.ts', name: 'reads slowly' },
      { on: ONE_HUB, file: 'test/spec/hub-recovery.test.ts', name: 'a slow reader' },
      { on: POSTGRES, file: 'test/postgres-spec/hub-recovery.test.ts', name: 'a slow reader' },
      ...volume('a reader who is slow'),
    ],
  },
  {
    fault: '1 GB of output',
    sees: 'the reader gets all of it; stored are head and tail, with a marker; memory is flat',
    tests: [
      { on: STANDALONE, file: 'test/spec/volume.test.ts', name: 'a gigabyte of lines' },
      ...volume('MB of lines'),
    ],
  },
  {
    fault: 'a line of 1 GB',
    sees: 'pieces of 64 KiB; memory is flat',
    tests: [
      { on: STANDALONE, file: 'test/spec/volume.test.ts', name: 'a line of a gigabyte' },
      ...volume('a line of'),
    ],
  },
  {
    fault: 'binary output, split at every byte',
    sees: 'what a decoder makes of the whole',
    tests: [
      { on: EVERYWHERE, file: 'core/execution/output-encoder.test.ts', name: 'cut at every byte' },
      ...volume('binary output'),
    ],
  },
  {
    fault: 'a process that ignores SIGTERM',
    sees: 'it is killed after the grace of 5 s, with all that is left of its group and its id',
    tests: [
      { on: EVERYWHERE, file: 'agent/runner/process/end/terminate.test.ts', name: 'ignores SIGTERM' },
      { on: STANDALONE, file: 'test/spec/output.test.ts', name: 'ignores SIGTERM' },
    ],
  },
  {
    fault: 'grandchildren that hold the pipe',
    sees: 'the execution ends 2 s after its command at the latest',
    tests: [
      { on: EVERYWHERE, file: 'agent/runner/process/end/terminate.test.ts', name: 'grandchild' },
      { on: STANDALONE, file: 'test/spec/output.test.ts', name: 'grandchild' },
    ],
  },
  {
    fault: 'a disk that is full or read-only',
    sees: '503 for what would have to be on record; running executions continue, and are recorded when there is room; an agent without room pauses its commands',
    tests: [
      { on: ONE_HUB, file: 'test/faults/store-trouble.test.ts', name: 'SQLite' },
      { on: POSTGRES, file: 'test/faults/store-trouble.test.ts', name: 'whose disk is full' },
      { on: POSTGRES, file: 'test/faults/store-trouble.test.ts', name: 'read-only' },
      { on: ONE_HUB, file: 'hub/platform/db/sqlite/faults.test.ts', name: '' },
      { on: EVERYWHERE, file: 'agent/link/unsent/unsent-output.test.ts', name: 'disk' },
    ],
  },
  {
    fault: 'a database that is gone and comes back, or is locked',
    sees: '503, and `/ready` says why; agents keep what they run; no hub is taken for dead because of it',
    tests: [
      { on: ONE_HUB, file: 'test/faults/store-trouble.test.ts', name: 'locked' },
      { on: POSTGRES, file: 'test/faults/store-trouble.test.ts', name: 'gone and comes back' },
      { on: POSTGRES, file: 'hub/platform/db/postgres/faults.test.ts', name: '' },
      { on: HUBS, file: 'test/spec/hub-thought-dead.test.ts', name: 'database was unavailable' },
      ...RANDOM_KILLS.slice(1),
    ],
  },
  {
    fault: 'a database whose pages are damaged while a hub serves',
    sees: '`/health` 503, one log line, a mail and an alert to operators as soon as a read, a write or the daily check finds it; on SQLite 503 for calls, and the hub writes nothing more',
    tests: [
      { on: ONE_HUB, file: 'test/faults/damage.test.ts', name: '' },
      {
        on: ONE_HUB,
        file: 'test/spec/store-damaged.test.ts',
        name: 'a damaged store is reported to operators',
      },
      { on: ONE_HUB, file: 'test/spec/store-damaged.test.ts', name: 'svc admin' },
      { on: POSTGRES, file: 'test/spec/store-damaged.test.ts', name: 'PostgreSQL whose page' },
    ],
  },
  {
    fault: 'clock jumps',
    sees: 'a minute fires once, whichever way the clock went; no hub is taken for dead',
    tests: [
      { on: ONE_HUB, file: 'test/spec/schedules-clock.test.ts', name: '' },
      { on: EVERYWHERE.slice(1), file: 'hub/schedules/tick.test.ts', name: 'set back' },
      { on: HUBS, file: 'hub/cluster/expired-hubs.test.ts', name: 'a clock that jumps' },
      ...RANDOM_KILLS,
    ],
  },
  {
    fault: 'several hubs and one schedule',
    sees: 'each minute is on record once, as what ran or as what was missed',
    tests: [
      { on: HUBS, file: 'test/spec/schedules-two-hubs.test.ts', name: '' },
      { on: HUBS, file: 'test/cluster/many-at-once.test.ts', name: 'each fires once' },
      { on: BOTH, file: 'hub/schedules/store/schedule-store.test.ts', name: 'twenty hubs' },
    ],
  },
  {
    fault: '200 approvers at once',
    sees: 'one decides; the others learn who has',
    tests: [
      { on: ONE_HUB, file: 'test/spec/approvals.test.ts', name: 'of 200 at once' },
      { on: POSTGRES, file: 'test/postgres-spec/approvals.test.ts', name: 'of 200 at once' },
      { on: HUBS, file: 'test/cluster/many-at-once.test.ts', name: 'people who decide' },
    ],
  },
  {
    fault: 'duplicate webhooks',
    sees: 'one run, and every delivery is answered with it',
    tests: [
      { on: ONE_HUB, file: 'test/spec/webhooks.test.ts', name: 'many deliveries of one event' },
      { on: POSTGRES, file: 'test/postgres-spec/webhooks.test.ts', name: 'many deliveries of one event' },
      { on: HUBS, file: 'test/cluster/many-at-once.test.ts', name: 'start one run' },
    ],
  },
  {
    fault: 'a mail server that is down',
    sees: 'mails wait in the outbox, and each goes out once',
    tests: [
      { on: BOTH, file: 'hub/platform/mail/deliver-mail.test.ts', name: '' },
      { on: ONE_HUB, file: 'test/spec/hub-accounts.test.ts', name: 'one that was refused is tried again' },
      {
        on: POSTGRES,
        file: 'test/postgres-spec/hub-accounts.test.ts',
        name: 'one that was refused is tried again',
      },
    ],
  },
  {
    fault: 'a broker that is gone and comes back',
    sees: '`"bus": "lost"` in `/ready`, which stays 200; hubs serve their own agents, and read the record for other output',
    tests: [
      { on: HUBS, file: 'test/cluster/hubs.test.ts', name: 'say when the bus is lost' },
      { on: HUBS, file: 'test/cluster/bus.test.ts', name: 'start without a broker' },
      { on: HUBS, file: 'test/cluster/dispatch.test.ts', name: 'while the bus is lost' },
      ...RANDOM_KILLS.slice(1),
    ],
  },
  {
    fault: 'a broker that hangs, or a hub whose packets to it are dropped',
    sees: '502 `agent_offline` for calls that would be forwarded, at once after the first few seconds; `"bus": "lost"` within 10 s',
    tests: [{ on: HUBS, file: 'test/cluster/cut-off.test.ts', name: '' }],
  },
];

/** The table of docs/reference/reliability.md: a fault, what one sees, and by place the tests that inject it. */
export function faultMarkdown(): string {
  const rows = FAULTS.map(({ fault, sees, tests }) => {
    const files = new Map<string, Set<Place>>();
    for (const { file, on } of tests) files.set(file, new Set([...(files.get(file) ?? []), ...on]));
    const places = PLACES.filter((place) => tests.some(({ on }) => on.includes(place)));
    const links = [...files.keys()].map((file) => `[${nameOf(file)}](../../${file})`);
    return `| ${fault} | ${sees} | ${places.join(', ')} | ${links.join(', ')} |`;
  });
  return ['| Fault | What one sees | Injected on | By |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function nameOf(file: string): string {
  return (file.split('/').at(-1) ?? '').replace('.test.ts', '');
}
