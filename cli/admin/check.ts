import { Refusal } from '@svc/core/refusal';
import { checkData } from '@svc/hub/admin/check-data';
import { EXIT, Failure } from '../failure.ts';
import { dataFailure, hubConfig } from '../hub/start.ts';
import { plural } from '../plural.ts';
import type { CheckOptions } from './options.ts';
import { printResult, visible } from './print.ts';

/** `svc admin check`: one line per part of the data and per finding; fails on damage. */
export async function check(options: CheckOptions): Promise<void> {
  const config = hubConfig({});
  const depth = options.full ? 'full' : 'quick';
  let count = 0;
  try {
    for await (const { part, findings } of checkData(config, depth)) {
      const texts = findings.length === 0 ? ['ok'] : findings.map((one) => `DAMAGED: ${visible(one)}`);
      const line = { part, depth, ok: findings.length === 0, findings };
      printResult(
        options,
        line,
        texts.map((text) => ({ label: part, text })),
      );
      count += findings.length;
    }
  } catch (error) {
    throw (
      dataFailure(config, error) ?? (error instanceof Refusal ? new Failure(error.message) : (error as Error))
    );
  }
  if (count === 0) return;
  throw new Failure(`the data is damaged: ${plural(count, 'finding')}`, {
    tip: 'see docs/operate/operating.md, "The store is damaged"',
    exitCode: EXIT.failed,
  });
}
