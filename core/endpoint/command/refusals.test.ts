import { describe, expect, test } from 'bun:test';
import { TEST_ARGUMENTS } from '../fixtures/command-arguments.ts';
import { compileCommand } from './compile-command.ts';

/** A command with the refused parts between « and »: the command itself and their places in it. */
function marked(text: string): { command: string; places: { offset: number; length: number }[] } {
  const places: { offset: number; length: number }[] = [];
  let command = '';
  for (const part of text.split(/(«[^»]*»)/)) {
    if (!part.startsWith('«')) command += part;
    else {
      const inner = part.slice(1, -1);
      places.push({ offset: command.length, length: inner.length });
      command += inner;
    }
  }
  return { command, places };
}

function refusedPlaces(command: string) {
  const compiled = compileCommand(command, TEST_ARGUMENTS);
  if (compiled.kind === 'program') return [];
  return compiled.problems.map(({ offset, length }) => ({ offset, length }));
}

/** Every place is refused, and no other. */
function expectRefused(text: string): void {
  const { command, places } = marked(text);
  expect({ command, places: refusedPlaces(command) }).toEqual({ command, places });
}

describe('names that cannot be', () => {
  test.each([
    'echo «{{s}}»',
    'echo «$svc:PATH»',
    'echo «$svc:SVC_TOKEN»',
    `echo «$svc:${'A'.repeat(65)}»`,
    'echo $«$svc:A»',
    'echo \\«$svc:A»',
    '«$svc:A»',
    'sh -c «$svc:A»',
    'echo $(echo «$svc:A»)',
  ])('%s', expectRefused);
});

describe('commands that no shell could run', () => {
  test.each(["echo «'»abc", 'echo «"»abc', 'echo «`»abc', 'echo «"»a $(ls)', 'echo a«\0»b', "«''» a"])(
    '%j',
    expectRefused,
  );

  test.each(['', ' ', '\n'])('%j', (text) => {
    expect(refusedPlaces(text)).toEqual([{ offset: 0, length: text.length }]);
  });
});

test('all problems of a command are reported in their order', () => {
  expectRefused('«{{x}}» a; sh -c «{{x}}»; «eval b»; ssh h «{{y}}»; echo {{y}}');
});

test('an alias is not allowed beside values, because it changes what later words mean', () => {
  expectRefused('«alias e=eval»\ne "$SVC_ARG_X"');
  expectRefused("«alias ll='eval'»\nls {{x}}");
  expect(refusedPlaces("alias ll='ls -l'\nll")).toEqual([]);
});

test('other ways to change what later words mean are not allowed beside values, either', () => {
  expectRefused('«hash -p /bin/sh foo»; foo -c {{x}}');
  expectRefused('«"$v"hash -p /bin/sh foo»; foo -c {{x}}');
  expectRefused('«~ hash -p /bin/sh foo»; foo -c {{x}}');
  expectRefused('«$v "$@" hash -p /bin/sh foo»; foo -c {{x}}');
  expectRefused('«$v command $v alias e=eval»\ne {{x}}');
  expectRefused('«enable -f ./lib foo»; foo {{x}}');
  expectRefused('. ./a; «. /dev/stdin»; f {{x}}');
  expectRefused('«eval "$(ssh-agent -s)"»; ssh-add {{x}}');
  expectRefused('«command eval a»; ls {{x}}');
  expectRefused("«trap 'rm -f a' EXIT»; ls {{x}}");
  // Behind `time`, which is a keyword of bash, a builtin still is one.
  expectRefused(`«time  trap 'eval "$v"' EXIT»; v={{x}}`);
  expectRefused(`«time -p -- trap 'eval "$v"' EXIT»; v={{x}}`);
  expectRefused(`! «time ! trap 'eval "$v"' EXIT»; v={{x}}`);
  expectRefused(`«time u=1 trap 'eval "$v"' EXIT»; v={{x}}`);
  expectRefused('«time command eval a»; ls {{x}}');
  // And behind the words of zsh that stand before a command.
  expectRefused(`«- trap 'eval "$v"' EXIT»; v={{x}}`);
  expectRefused(`«noglob - trap 'eval "$v"' EXIT»; v={{x}}`);
  expectRefused(`«u=1 nocorrect trap 'eval "$v"' EXIT»; v={{x}}`);
  expect(refusedPlaces('. ./lib.sh; set -eu; ls {{x}}')).toEqual([]);
});

describe('every message says what stands there and what to do instead', () => {
  test.each([
    ['{{x}} a', 'write the name of the command and pass the value as an argument after --'],
    ['sh -c "echo {{x}}"', 'write "$SVC_ARG_X" in single quotes'],
    ['echo $(echo {{x}})', 'move this into a script that reads the values from its environment'],
    ['ls $SVC_ARG_X', 'put double quotes around it'],
    ['ls $(echo "$SVC_ARG_X")', 'put double quotes around it'],
    ['python3 -c {{x}}', 'os.environ["SVC_ARG_X"]'],
    ['awk {{x}}', 'ENVIRON["SVC_ARG_X"]'],
    ['sqlite3 a.db {{x}}', 'let a script that binds it as a parameter read $SVC_ARG_X'],
    ['jq {{x}} f', '--arg x VALUE'],
    ['make A={{x}}', '"$$SVC_ARG_X" in the recipe'],
    ['echo a >&{{x}}', 'use > FILE 2>&1'],
    ["echo $'{{x}}'", "but not beside $'"],
    ['timeout {{x}} ls', 'declare "type: word"'],
    ['psql -c {{x}}', '"type: code" allows it'],
    ['cat <<E\n{{x}}\nE', 'values cannot stand beside <<'],
    ['[ {{x}} -a {{y}} ]', 'join tests with && and ||'],
    ['echo {{s}}', 'SVC_ARG_S'],
    ["echo 'abc", 'close it'],
  ])('%j', (command, fix) => {
    const compiled = compileCommand(command, TEST_ARGUMENTS);
    expect(compiled.kind === 'problems' && compiled.problems[0]?.message).toContain(fix);
  });
});

describe('a bare name that a shell evaluates as arithmetic, which runs what a subscript in the value holds', () => {
  test.each([
    'time [[ SVC_ARG_X -eq 1 ]]',
    'time -p ! [[ SVC_ARG_X -eq 1 ]]',
    'time list[SVC_ARG_X]=1',
    "read 'list[SVC_ARG_X]' < /dev/null",
    "printf -v 'list[SVC_ARG_X]' a",
    'let a=SVC_ARG_X+$HOME',
    'a=SVC_ARG_X; echo $((a))',
    'a=SVC_ARG_X; b=a; let c=b',
    'export a=SVC_ARG_X; echo $((a))',
    'a=SVC_ARG_X; time [[ a -eq 1 ]]',
  ])('%s', (command) => expect(refusedPlaces(command)).not.toEqual([]));

  test.each([
    'time ls -- {{x}}',
    'a=1; echo $((a + 1)) {{x}}',
    'time [[ SVC_ARG_N -eq 1 ]] && echo {{x}}',
    'read -r line < /dev/null; echo "$line" {{x}}',
    'printf \'%s\' "list[SVC]" {{x}}',
  ])('%s is harmless', (command) => expect(refusedPlaces(command)).toEqual([]));
});
