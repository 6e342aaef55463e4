// The commands of README.md, as they are printed, on the file that svc init writes; and the names of variables in all documents.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Lines } from '../lines.ts';
import { runSvc, startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

setDefaultTimeout(60_000);

const ROOT = join(import.meta.dir, '../..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

/** The block of code that contains this text. */
function block(text: string): string {
  const blocks = [...README.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  return blocks.find((code) => code.includes(text)) ?? '';
}

test('each svc command of the first example prints what the README says', async () => {
  const env = { HOME: folder.path, SVC_DATA_DIR: join(folder.path, 'data'), XDG_CONFIG_HOME: folder.path };
  const options = { cwd: folder.path, env };
  const svc = (line: string) => runSvc(line.replaceAll('~', folder.path).split(' ').slice(1), options);
  expect(await svc('svc init --config ~/svc.yaml')).toMatchObject({ exitCode: 0 });
  appendFileSync(join(folder.path, 'svc.yaml'), `\n${block('- name: space')}`);
  const up = startSvc(['up', '--config', 'svc.yaml', '--port', '0', '--json'], options);
  const { base_url: baseUrl } = JSON.parse(await new Lines(up.stdout).find(/^\{/));
  Object.assign(env, { SVC_BASE_URL: baseUrl });
  const lines = block('svc call hello').trimEnd().split('\n');
  const ran: { command: string; stdout: string; stderr: string; exitCode: number }[] = [];
  for (const line of lines) {
    const [command = ''] = line.split(/ +# /);
    ran.push({ command, ...(await svc(command)) });
  }
  up.kill('SIGTERM');
  await up.exited;
  expect(ran.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
  const printed = (start: string) => ran.find(({ command }) => command.startsWith(start))?.stdout;
  expect(printed('svc call hello')).toBe('Hello, Ada!\n');
  expect(printed('svc call count')).toBe('1 of 3\n2 of 3\n3 of 3\n');
  expect(JSON.parse(printed('svc call space') ?? '')).toMatchObject({
    data: [{ Filesystem: expect.any(String) }],
  });
  expect(printed('svc logs')?.trimEnd().split('\n')).toHaveLength(3);
});

/** One name for one thing in every document, so that examples can be pasted one after the other. */
const OTHER_NAMES = /\$\{?(?:TOKEN|ACCESS_TOKEN|access|token|HUB|HUB_URL|BASE_URL|KEY|API_KEY)\b/g;

test('documents call address, access token and API key SVC_BASE_URL, SVC_ACCESS_TOKEN and SVC_API_KEY', () => {
  const files = [...new Bun.Glob('docs/**/*.md').scanSync(ROOT), 'README.md'];
  expect(files.length).toBeGreaterThan(20);
  const found = files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(OTHER_NAMES)].map(([name]) => `${file}: ${name}`),
  );
  expect(found).toEqual([]);
});

test('each document with an access token says how to get one', () => {
  const files = [...new Bun.Glob('docs/{guides,operate}/*.md').scanSync(ROOT)];
  const unexplained = files.filter((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return text.includes('$SVC_ACCESS_TOKEN') && !/#the-first-account|svc admin bootstrap/.test(text);
  });
  expect(unexplained).toEqual([]);
});
