import { parseCron } from '@svc/core/schedule/cron';
import { cronWords } from '@svc/core/schedule/cron-words';
import { nextFires } from '@svc/core/schedule/fire-times';
import { Failure } from '../failure.ts';

const FIRES = 5;

/** `svc schedules next`: explains an expression and prints its next fire times. */
export function explainExpression(
  expression: string,
  { json }: { readonly json?: true },
  nowMs: number,
): void {
  const cron = parseCron(expression);
  if (cron.kind === 'problem') throw new Failure(cron.message);
  const words = cronWords(cron.fields);
  const fires = nextFires(cron.fields, nowMs, FIRES).map((atMs) => new Date(atMs).toISOString());
  if (json) {
    process.stdout.write(`${JSON.stringify({ schedule: expression, words, next_fires: fires })}\n`);
    return;
  }
  process.stdout.write(`${[words, ...fires.map((at) => `  ${at}`)].join('\n')}\n`);
}
