import { loadGenerator } from '../load/load.ts';
import { machineFacts } from '../measure/machine.ts';
import { toMarkdown } from '../measure/markdown.ts';
import type { Report, Section } from '../measure/report.ts';
import { writeReport } from '../measure/results.ts';
import { svcProgram } from '../peers/svc.ts';
import { measureCapacity } from './capacity.ts';
import { measureIdle } from './idle.ts';
import { FULL, type Means, QUICK } from './means.ts';
import { measureHubStart } from './start-up.ts';
import { measureThroughHub } from './through-hub.ts';
import { measureVolume } from './volume.ts';

const PARTS: Readonly<Record<string, (means: Means) => Promise<Section[]>>> = {
  call: measureThroughHub,
  capacity: measureCapacity,
  volume: measureVolume,
  idle: measureIdle,
  start: measureHubStart,
};

/**
 * `npm run bench -- hub [part…] [--quick]`: what a hub adds to a call, what it can take, and what it needs.
 *
 * Only a whole run at full size is written to the results; of anything less the figures are to be looked at and forgotten.
 */
export async function benchHub(args: readonly string[]): Promise<void> {
  const isQuick = args.includes('--quick');
  const asked = args.filter((arg) => arg !== '--quick');
  const unknown = asked.filter((name) => !Object.hasOwn(PARTS, name));
  if (unknown.length > 0)
    throw new Error(`part "${unknown[0]}": one of ${Object.keys(PARTS).join(', ')} expected`);
  const machine = await machineFacts();
  const load = loadGenerator();
  const sections: Section[] = [];
  for (const [name, measure] of Object.entries(PARTS)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    console.error(`measuring: ${name}`);
    const measured = measure({ load, size: isQuick ? QUICK : FULL });
    sections.push(...(await measured.catch((error: unknown) => [failed(name, error)])));
  }
  const report: Report = {
    benchmark: 'hub',
    date: new Date().toISOString().slice(0, 10),
    machine,
    participants: { svc: svcProgram().description, load: load.description },
    sections,
  };
  console.log(toMarkdown(report));
  if (asked.length === 0 && !isQuick) console.log(`\nRaw rows: ${await writeReport(report)}`);
}

/** A part that could not be measured appears with its reason; the other parts run. */
function failed(name: string, error: unknown): Section {
  const reason = error instanceof Error ? error.message : String(error);
  return { title: `Part ${name}`, unit: '', comparisons: [], notMeasured: [reason], turns: [] };
}
