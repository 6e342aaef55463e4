// `svc transform`: decision 27, the transformer, on a sample.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await temporaryFolder();
  writeFileSync(join(folder.path, 'sample'), 'title\nii  bash shell\nrc  old\n\nlegend\n');
});
afterEach(() => folder[Symbol.asyncDispose]());

const run = (...args: string[]) => runSvc(['transform', ...args], { cwd: folder.path });

test('prints what a transform makes of a sample, by every key of a config file', async () => {
  const keys = ['--parse', 'table', '--skip', '1', '--until', '', '--columns', 'state,name'];
  expect(await run('sample', ...keys)).toEqual({
    exitCode: 0,
    stdout: '[{"state":"ii","name":"bash shell"},{"state":"rc","name":"old"}]\n',
    stderr: '',
  });
  expect((await run('sample', ...keys, '--select', 'map(.name)')).stdout).toBe('["bash shell","old"]\n');
  expect(
    (await run('sample', '--parse', 'csv', '--no-header', '--delimiter', ' ', '--until', 'ii')).stdout,
  ).toBe('[["title"]]\n');
});

test('takes the transform of an endpoint', async () => {
  const config =
    "version: 1\nendpoints:\n  - {name: a, command: id, transform: {parse: lines, select: '.[1]'}}\n";
  writeFileSync(join(folder.path, 'svc.yaml'), `${config}  - {name: b, command: id}\n`);
  expect((await run('sample', '--endpoint', 'a')).stdout).toBe('"ii  bash shell"\n');
  expect((await run('sample', '--endpoint', 'b')).stderr).toBe('error  endpoint "b" has no transform\n');
  expect((await run('sample', '--endpoint', 'c')).stderr).toBe('error  svc.yaml has no endpoint "c"\n');
});

test('a sample that does not fit fails with 1, what no endpoint may have with 2', async () => {
  expect(await run('sample', '--parse', 'json')).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'error  json: line 1, column 1: "title" found, a value expected\n',
  });
  const misplaced = await run('sample', '--parse', 'yaml', '--columns', 'a');
  expect([misplaced.exitCode, misplaced.stderr]).toEqual([
    2,
    expect.stringContaining('columns belongs to "parse: csv"'),
  ]);
  const lines = await run('sample', '--parse', 'lines', '--skip', 'x');
  expect([lines.exitCode, lines.stderr]).toEqual([2, expect.stringContaining('skip')]);
  const jq = await run('sample', '--parse', 'lines', '--select', '.[');
  expect([jq.exitCode, jq.stderr]).toEqual([2, expect.stringContaining('transform.select: syntax error')]);
  expect((await run('no-such-file', '--parse', 'lines')).exitCode).toBe(2);
  expect((await run('sample')).stderr).toBe('error  --parse or --endpoint expected\n');
});
