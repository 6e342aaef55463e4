import type { ComparisonResult, Goal } from './comparison.ts';
import type { Reading } from './reading.ts';
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
  const { unit, comparisons, readings = [] } = section;
  const missing = section.notMeasured.map((reason) => `- Not measured: ${reason}`);
  return [
    `## ${section.title}`,
    ...table(['measured', unit, 'against', unit, 'ratio', 'goal'], comparisons.map(comparisonCells)),
    ...table(['measured', unit, 'goal'], readings.map(readingCells)),
    ...(missing.length > 0 ? [missing.join('\n')] : []),
  ].join('\n\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [lines.join('\n')];
}

function comparisonCells(result: ComparisonResult): string[] {
  return [
    result.subject,
    figureText(result.subjectFigure),
    result.against,
    figureText(result.againstFigure),
    `**${spreadText(result.ratio, 2)}**`,
    goalCell(result),
  ];
}

function readingCells(one: Reading): string[] {
  const what = one.beside === undefined ? one.what : `${one.what} (${one.beside})`;
  return [what, `**${figureText(one.figure)}**`, goalCell(one)];
}

function goalCell({ goal, met }: Pick<Reading, 'goal' | 'met'>): string {
  return goal ? `${goalText(goal)}: ${met ? 'met' : 'MISSED'}` : 'no goal';
}

/** With three digits that say something, whatever the unit is. */
function figureText(figure: Spread): string {
  const whole = Math.floor(Math.log10(Math.max(Math.abs(figure.median), 1e-3))) + 1;
  return spreadText(figure, Math.min(3, Math.max(0, 3 - whole)));
}

function spreadText({ median, min, max }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
}

function goalText(goal: Goal): string {
  return 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
}
