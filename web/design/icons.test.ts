import { expect, test } from 'bun:test';
import { join } from 'node:path';

/** Characters that look like icons. Each font draws them in its own way, and some draw them as emoji. */
const GLYPHS = /[←↑→↓↺▴▾◂▸✓✔✕✖✗★☆⋮⋯]/;
const WEB = join(import.meta.dirname, '..');

test('icons are drawn, and no component uses a character as one', async () => {
  const found: string[] = [];
  for await (const path of new Bun.Glob('*/**/*.tsx').scan(WEB)) {
    if (path.startsWith('node_modules/')) continue;
    const lines = (await Bun.file(join(WEB, path)).text()).split('\n');
    found.push(...lines.filter((line) => GLYPHS.test(line)).map((line) => `${path}: ${line.trim()}`));
  }
  expect(found).toEqual([]);
});
