import type { Goal, Verdict } from './comparison.ts';
import type { Report, Section } from './report.ts';
import type { Spread } from './statistics.ts';

/** The report as people read it. */
export function toMarkdown(report: Report): string {
  const { machine } = report;
  const facts = `${machine.cores} cores (${machine.processor}), Linux ${machine.kernel}, ${machine.memoryGiB} GiB, Bun ${machine.bun}, ${machine.busyBeforePercent} % busy with other work before the start`;
  const participants = Object.entries(report.participants).map(([name, what]) => `- ${name}: ${what}`);
  return [
    `# ${report.benchmark}, ${report.date}`,
    `${facts}. Medians of interleaved rounds (lowest to highest); each ratio is made within one round.`,
    participants.join('\n'),
    ...report.sections.map(sectionToMarkdown),
  ].join('\n\n');
}

function sectionToMarkdown(section: Section): string {
  const rows = section.verdicts.map((verdict) => `| ${verdictCells(verdict).join(' | ')} |`);
  const table = [
    `| measured | ${section.unit} | against | ${section.unit} | ratio | goal |`,
    `| --- | --- | --- | --- | --- | --- |`,
  ];
  const missing = section.notMeasured.map((reason) => `- Not measured: ${reason}`);
  return [
    `## ${section.title}`,
    ...(rows.length > 0 ? [[...table, ...rows].join('\n')] : []),
    ...(missing.length > 0 ? [missing.join('\n')] : []),
  ].join('\n\n');
}

function verdictCells(verdict: Verdict): string[] {
  return [
    verdict.subject,
    spreadText(verdict.subjectFigure, 0),
    verdict.against,
    spreadText(verdict.againstFigure, 0),
    `**${spreadText(verdict.ratio, 2)}**`,
    verdict.goal ? `${goalText(verdict.goal)}: ${verdict.met ? 'met' : 'MISSED'}` : 'not judged',
  ];
}

function spreadText({ median, min, max }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
}

function goalText(goal: Goal): string {
  return 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
}
