import { compare } from '../measure/comparison.ts';
import { type Contestant, interleave } from '../measure/interleave.ts';
import type { Section } from '../measure/report.ts';
import { keepAsking } from './asking.ts';
import { CALLERS } from './pauses.ts';
import { type Served, serve } from './served.ts';
import { filledStore, type Kind } from './store.ts';

const SMALL = 10_000;
const WARM_SECONDS = 10;
const GOAL = { atMost: 1.1 } as const;

/** Calls to this hub and to one with 10,000 executions, in turns: the p50 over one connection, and over several. */
export async function againstSmall(
  { name, kind, rounds, seconds }: { name: string; kind: Kind; rounds: number; seconds: number },
  grown: Served,
): Promise<Section[]> {
  await using store = await filledStore(kind, SMALL);
  const small = await serve(store);
  try {
    const sections: Section[] = [];
    for (const connections of [1, CALLERS]) {
      const contestant = (called: string, { call }: Served): Contestant => ({
        name: called,
        measure: async () => [(await keepAsking(call, { connections, seconds })).p50Ms],
      });
      const [subject, against] = [name, `${SMALL.toLocaleString('en')} executions`];
      for (const { call } of [grown, small]) await keepAsking(call, { connections, seconds: WARM_SECONDS });
      const turns = await interleave([contestant(subject, grown), contestant(against, small)], rounds);
      sections.push({
        title: `${name}: calls over ${connections} connection${connections === 1 ? '' : 's'}, p50`,
        ...{ unit: 'ms', readings: [], notMeasured: [], turns },
        comparisons: [compare({ subject, against, goal: GOAL }, turns)],
      });
    }
    return sections;
  } finally {
    await small.end();
  }
}
