// Promise 1 at the prompt of a shell: a value that a list offers is inserted by the tab key as one plain word. The shells are real; the
// program that they complete prints the value.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { within } from '../within.ts';

setDefaultTimeout(60_000);

/** Values that a shell would read as more than a word. All begin with what the person has typed. */
const VALUES = [
  'main',
  'main;touch${IFS}run',
  'm$(touch run)',
  'm`touch run`',
  'm&touch run',
  'm|touch run',
  'm>run',
  'm *',
  'm a  b ',
  'm{a,b}',
  `m'q"x`,
  'm\\y',
  'm\\;touch run',
  'm!!',
  'm#x',
  'm~',
  'm:x',
  'm%s',
  'm(a)',
  'm=x',
  'mü',
];

/** How each shell starts without the settings of the user, and reads the script. fish needs a terminal of its own. */
const SHELLS = {
  bash: { start: ['bash', '--norc', '--noprofile', '-i'], load: 'source ../script' },
  zsh: { start: ['zsh', '-f', '-i'], load: 'autoload -U compinit; compinit -u -D; source ../script' },
  fish: {
    start: ['setsid', '--ctty', 'fish', '--private', '--no-config', '-i'],
    load: 'source ../script',
  },
} as const;

/** Offers what the file `value` holds; writes the words of a call to the file `called`, and says so. */
const STAND_IN = `#!/bin/sh
cd "$(dirname "$0")"
if [ "$1" = completion ]; then printf 'branch=%s\\ta branch\\n' "$(cat value)"; exit; fi
printf '%s\\n' "$@" > called
echo "has been ""called"
`;

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
  await Bun.write(join(folder.path, 'svc'), STAND_IN);
  chmodSync(join(folder.path, 'svc'), 0o755);
});
afterAll(() => folder[Symbol.asyncDispose]());

for (const [shell, { start, load }] of Object.entries(SHELLS))
  describe.skipIf(Bun.which(shell) === null)(`the tab key in ${shell}`, () => {
    test('inserts each value as one word', async () => {
      const file = (name: string) => join(folder.path, name);
      await Bun.write(file('script'), (await runSvc(['completion', shell], { cwd: folder.path })).stdout);
      const work = file(`work-${shell}`);
      await Bun.write(join(work, 'present'), '');
      await using prompt = await promptOf(start, work);
      await prompt.type(`${load}; echo is"" ready`, 'is ready');
      for (const value of VALUES) {
        await Bun.write(file('value'), value);
        await prompt.type('svc call deploy branch=m\t', 'has been called');
        const called = (await Bun.file(file('called')).text()).split('\n').slice(0, -1);
        expect(called).toEqual(['call', 'deploy', `branch=${value}`]);
        expect(readdirSync(work)).toEqual(['present']);
      }
    });
  });

/** A shell on a terminal, whose home is its working folder. */
async function promptOf(start: readonly string[], cwd: string) {
  let text = '';
  let onText = () => {};
  const terminal = new Bun.Terminal({
    cols: 200,
    rows: 50,
    data(_, bytes) {
      text += new TextDecoder().decode(bytes);
      onText();
    },
  });
  const child = Bun.spawn([...start], {
    cwd,
    env: {
      PATH: `${join(cwd, '..')}:${process.env.PATH}`,
      ...{ HOME: cwd, ZDOTDIR: cwd, TERM: 'xterm', LC_ALL: 'C.UTF-8' },
      ...{ HISTFILE: '/dev/null', XDG_CONFIG_HOME: `${cwd}/..`, XDG_DATA_HOME: `${cwd}/..` },
    },
    terminal,
  });
  return {
    /** Types a line, and waits until the terminal shows the text. */
    async type(line: string, shown: string): Promise<void> {
      const isShown = new Promise<void>((resolve) => {
        onText = () => text.includes(shown) && resolve();
      });
      text = '';
      terminal.write(`${line}\n`);
      await within(20_000, `the answer to ${line}`, isShown);
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await child.exited;
      terminal.close();
    },
  };
}
