// Fails on a source file of more than 300 code lines: it holds two topics (STYLE.md, "Size").
import { existsSync, readFileSync } from 'node:fs';

const MAX_CODE_LINES = 300;
const listed = Bun.spawnSync([
  'git',
  'ls-files',
  '--cached',
  '--others',
  '--exclude-standard',
  '*.ts',
  '*.tsx',
]);
const files = listed.stdout
  .toString()
  .split('\n')
  .filter((file) => file !== '' && existsSync(file));

const long = files
  .filter((file) => !/\.test\.tsx?$/.test(file))
  .map((file) => ({ file, lines: codeLines(readFileSync(file, 'utf8')) }))
  .filter(({ lines }) => lines > MAX_CODE_LINES);
for (const { file, lines } of long) console.error(`${file}: ${lines} code lines, at most ${MAX_CODE_LINES}`);
if (long.length > 0) process.exit(1);
console.log(`sizes: ${files.length} files, none over ${MAX_CODE_LINES} code lines`);

function codeLines(text: string): number {
  return text.split('\n').filter((line) => !/^\s*(?:\/\/|\/?\*|$)/.test(line)).length;
}
