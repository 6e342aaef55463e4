import { compare } from '../measure/comparison.ts';
import { interleave } from '../measure/interleave.ts';
import { machineFacts } from '../measure/machine.ts';
import { toMarkdown } from '../measure/markdown.ts';
import type { Report, Section } from '../measure/report.ts';
import { writeReport } from '../measure/results.ts';
import { chunksOf, INPUTS } from './inputs.ts';
import { contestantsOver, NAMES } from './ways.ts';

const ROUNDS = 9;

/**
 * `npm run bench -- encode`: how fast the agent turns output into events, against reading the same bytes and against copying them.
 */
export async function benchEncode(): Promise<void> {
  const machine = await machineFacts();
  const sections: Section[] = [];
  for (const [title, line] of Object.entries(INPUTS)) {
    const turns = await interleave(contestantsOver(chunksOf(line)), ROUNDS);
    const pairs = [NAMES.decode, NAMES.copy].map((against) => ({ subject: NAMES.encode, against }));
    const comparisons = pairs.map((comparison) => compare(comparison, turns));
    sections.push({ title, unit: 'MB/s', comparisons, notMeasured: [], turns });
  }
  const report: Report = {
    benchmark: 'encode',
    date: new Date().toISOString().slice(0, 10),
    machine,
    participants: {
      [NAMES.encode]: 'OutputEncoder.push of core/execution',
      [NAMES.decode]: 'TextDecoder.decode, streaming, of the same chunks',
      [NAMES.copy]: 'Uint8Array.slice of the same chunks',
    },
    sections,
  };
  console.log(toMarkdown(report));
  console.log(`\nRaw rows: ${await writeReport(report)}`);
}
