import { describe, expect, test } from 'bun:test';
import { UNTYPED_ARGUMENTS } from '../fixtures/command-arguments.ts';
import type { Program } from '../program.ts';
import { compileCommand } from './compile-command.ts';

function compile(command: string): Program {
  const compiled = compileCommand(command, UNTYPED_ARGUMENTS);
  if (compiled.kind === 'problems') throw new Error(JSON.stringify(compiled.problems));
  return compiled.program;
}

/** `echo|a<x>|<y>+`: the words, values in < >, a + behind a word that a -- protects. */
function shown(program: Program): string {
  return program.words
    .map(({ pieces, afterDashes }) => {
      const text = pieces.map((piece) => (piece.kind === 'text' ? piece.text : `<${piece.name}>`)).join('');
      return afterDashes ? `${text}+` : text;
    })
    .join('|');
}

describe('a command without shell syntax runs in argv mode', () => {
  test.each([
    ['ls -la', 'ls|-la'],
    ['  ls\t-la \n', 'ls|-la'],
    ['echo {{x}} "a {{x}}" \'{{x}} b\' {{x}}{{y}}', 'echo|<x>|a <x>|<x> b|<x><y>'],
    ['git log -- {{x}}', 'git|log|--|<x>+'],
    ["docker ps --format '{{.Names}} {{ x }}'", 'docker|ps|--format|{{.Names}} {{ x }}'],
    ['docker ps --format {{.Names}}', 'docker|ps|--format|{{.Names}}'],
    ['echo {{unknown}} {{{x}}} {{x', 'echo|{{unknown}}|{<x>}|{{x'],
    ['find . -name "*.log" -exec rm {} \\;', 'find|.|-name|*.log|-exec|rm|{}|;'],
    ['echo a\\ b \\{ "\\$x" "\\a" \'\\a\'', 'echo|a b|{|$x|\\a|\\a'],
    ['curl \\\n  -X POST \\\n  {{x}}', 'curl|-X|POST|<x>'],
    ['echo a~ b=c @{u} ^ % + : /dev/null', 'echo|a~|b=c|@{u}|^|%|+|:|/dev/null'],
    ['echo "" \'\'', 'echo||'],
    ['echo a#b \\#c $ a$ "a$"', 'echo|a#b|#c|$|a$|a$'],
    ['echo \\', 'echo|\\'],
    ['"/opt/my tools/run" {{x}}', '/opt/my tools/run|<x>'],
    ['sudo -u {{x}} systemctl restart {{y}}', 'sudo|-u|<x>|systemctl|restart|<y>'],
    [
      'curl -H "Authorization: Bearer $svc:TOKEN" https://example.org',
      'curl|-H|Authorization: Bearer <TOKEN>|https://example.org',
    ],
  ])('%s', (command, words) => {
    const program = compile(command);
    expect({ mode: program.mode, words: shown(program) }).toEqual({ mode: 'argv', words });
  });
});

describe('anything that a shell would treat specially runs in shell mode', () => {
  test.each([
    ...[
      'a | b',
      'a; b',
      'a & b',
      'a &',
      'a && b',
      'a || b',
      'a\nb',
      'a;',
      '(a)',
      '{ a; }',
      '! a',
      'a > f',
      'a 2>&1',
      'a < f',
    ],
    ...[
      'a # b',
      '# a',
      'a $x',
      'a "$x"',
      'a ${x}',
      'a $(b)',
      'a `b`',
      'a $((1))',
      'a "$1"',
      'a *',
      'a ?',
      'a [b]',
      'a ~',
      'a ~/b',
      'a {b,c}',
      'a x{1..3}',
    ],
    ...[
      'X=1',
      'X=1 a',
      'if a; then b; fi',
      'while a; do b; done',
      'for i in a; do b; done',
      'case a in b) c;; esac',
      'f() { a; }',
      'cat <<E\na\nE',
    ],
    ...[
      'cd /tmp',
      'exit 3',
      'set -e',
      'export A=b',
      'ulimit -n 10',
      ': a',
      '. ./f',
      'eval a',
      'exec a',
      'trap a EXIT',
      'type a',
      'command a',
      'time a',
      'wait',
      'umask 022',
    ],
    ...[
      '[[ -f a ]]',
      'a=(1 2)',
      "echo $'a'",
      'cat <<< a',
      'diff <(a) <(b)',
      '((1))',
      'a &> f',
      'a |& b',
      'ls a\\\nb',
      'if a; then b',
      '${x/a/b}',
    ],
  ])('%j', (command) => {
    expect(compile(command)).toEqual({ mode: 'shell', text: command, words: [], secrets: [] });
  });
});

describe('in shell mode a placeholder becomes an expansion that fits its quotes', () => {
  test.each([
    ['echo {{x}} | cat', 'echo "${SVC_ARG_X}" | cat', '<x>'],
    ['echo "a {{x}} b" | cat', 'echo "a ${SVC_ARG_X} b" | cat', 'a <x> b'],
    ["echo 'a {{x}} b' | cat", "echo 'a '\"${SVC_ARG_X}\"' b' | cat", 'a <x> b'],
    ['echo a{{x}}{{y}}b | cat', 'echo a"${SVC_ARG_X}""${SVC_ARG_Y}"b | cat', 'a<x><y>b'],
    ['echo {{o}} | cat', 'echo ${SVC_ARG_O+"${SVC_ARG_O}"} | cat', '<o>'],
    ['echo "{{o}}" a{{o}} | cat', 'echo "${SVC_ARG_O-}" a"${SVC_ARG_O-}" | cat', '<o>|a<o>'],
    ['for i in {{o}}; do ls; done', 'for i in ${SVC_ARG_O+"${SVC_ARG_O}"}; do ls; done', '<o>'],
    ['ls > {{o}}', 'ls > "${SVC_ARG_O-}"', '<o>'],
    ['A={{x}} ls', 'A="${SVC_ARG_X}" ls', 'A=<x>'],
    ['ls {{x}} > {{y}} 2>&1', 'ls "${SVC_ARG_X}" > "${SVC_ARG_Y}" 2>&1', '<x>|<y>'],
    ['ls /a/{{x}}/*.txt', 'ls /a/"${SVC_ARG_X}"/*.txt', '/a/<x>/*.txt'],
    ['ls ~{{x}} ~/{{x}}', 'ls ~"${SVC_ARG_X}" ~/"${SVC_ARG_X}"', '~<x>|~/<x>'],
    ['echo "$HOME{{x}}" $HOME{{x}}', 'echo "$HOME${SVC_ARG_X}" $HOME"${SVC_ARG_X}"', '<x>|<x>'],
    [
      'echo ${A:-b} "${B%.txt}" $((1+(2))) "$(date)" {{x}}',
      'echo ${A:-b} "${B%.txt}" $((1+(2))) "$(date)" "${SVC_ARG_X}"',
      '<x>',
    ],
    ["echo a # {{x}} it's\necho {{x}}", 'echo a # {{x}} it\'s\necho "${SVC_ARG_X}"', '<x>'],
    [
      '[ -f {{x}} ] && [ {{x}} != {{y}} ]',
      '[ -f "${SVC_ARG_X}" ] && [ "${SVC_ARG_X}" != "${SVC_ARG_Y}" ]',
      '<x>|<x>|<y>',
    ],
    ['sed 1d < {{x}} | tee -- {{y}}', 'sed 1d < "${SVC_ARG_X}" | tee -- "${SVC_ARG_Y}"', '<x>|<y>+'],
    ['cd /srv && git pull -- origin {{x}}', 'cd /srv && git pull -- origin "${SVC_ARG_X}"', '<x>+'],
    ['sh -c \'ls "$1"\' sh {{x}} && ls', 'sh -c \'ls "$1"\' sh "${SVC_ARG_X}" && ls', '<x>'],
    ['echo $((SVC_ARG_N + 1)) {{x}}', 'echo $((SVC_ARG_N + 1)) "${SVC_ARG_X}"', '<x>'],
    ['curl -H "X: $svc:TOKEN" x | cat', 'curl -H "X: ${SVC_SECRET_TOKEN}" x | cat', 'X: <TOKEN>'],
    ["A=$svc:A curl '$svc:B'", 'A="${SVC_SECRET_A}" curl \'\'"${SVC_SECRET_B}"\'\'', 'A=<A>|<B>'],
    ["cat <<'E'\n$(a) 'b\nE\nls {{x}}", "cat <<'E'\n$(a) 'b\nE\nls \"${SVC_ARG_X}\"", '<x>'],
    ['-a {{x}} | cat', ' -a "${SVC_ARG_X}" | cat', '<x>'],
  ])('%j', (command, text, words) => {
    const program = compile(command);
    expect(program).toMatchObject({ mode: 'shell', text });
    expect(shown(program)).toBe(words);
  });
});

test('the secrets of a command are listed once, in order', () => {
  expect(compile('echo $svc:B "$svc:A" $svc:B').secrets).toEqual(['A', 'B']);
});
