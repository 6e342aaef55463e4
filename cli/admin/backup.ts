import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { withAdmin } from './open.ts';
import type { AdminOptions } from './options.ts';
import { printResult } from './print.ts';

/** `svc admin backup`. */
export async function backup(file: string, options: AdminOptions): Promise<void> {
  const path = resolve(file);
  await withAdmin((admin) => admin.backup(path));
  const { size } = statSync(path);
  printResult(options, { file: path, bytes: size }, [{ label: 'copied', text: `${path}, ${size} bytes` }]);
}
