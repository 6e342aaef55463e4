import { describe, expect, test } from 'bun:test';
import { compileCommand } from './compile-command.ts';
import type { Program } from './program.ts';
import { TEST_ARGUMENTS } from './test-arguments.ts';

function compile(command: string): Program {
  const compiled = compileCommand(command, TEST_ARGUMENTS);
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
    ['case {{o}} in {{x}}) ls;; esac', 'case "${SVC_ARG_O-}" in "${SVC_ARG_X}") ls;; esac', '<o>|<x>'],
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
    ["cat <<'E'\nit's $(a)\nE\necho {{x}}", "cat <<'E'\nit's $(a)\nE\necho \"${SVC_ARG_X}\"", '<x>'],
    ['cat <<E\n$SVC_ARG_X\nE\necho {{x}}', 'cat <<E\n$SVC_ARG_X\nE\necho "${SVC_ARG_X}"', '<x>'],
    [
      '[ -f {{x}} ] && [ {{x}} != {{y}} ]',
      '[ -f "${SVC_ARG_X}" ] && [ "${SVC_ARG_X}" != "${SVC_ARG_Y}" ]',
      '<x>|<x>|<y>',
    ],
    ['sed 1d < {{x}} | tee -- {{y}}', 'sed 1d < "${SVC_ARG_X}" | tee -- "${SVC_ARG_Y}"', '<x>|<y>+'],
    ['cd /srv && git pull -- origin {{x}}', 'cd /srv && git pull -- origin "${SVC_ARG_X}"', '<x>+'],
    ['sh -c \'ls "$1"\' sh {{x}} && ls', 'sh -c \'ls "$1"\' sh "${SVC_ARG_X}" && ls', '<x>'],
    ['f() { ls -- "$1"; }; f {{x}}', 'f() { ls -- "$1"; }; f "${SVC_ARG_X}"', '<x>'],
    ['echo $((SVC_ARG_N + 1)) {{x}}', 'echo $((SVC_ARG_N + 1)) "${SVC_ARG_X}"', '<x>'],
    ['curl -H "X: $svc:TOKEN" x | cat', 'curl -H "X: ${SVC_SECRET_TOKEN}" x | cat', 'X: <TOKEN>'],
    ["A=$svc:A curl '$svc:B'", 'A="${SVC_SECRET_A}" curl \'\'"${SVC_SECRET_B}"\'\'', 'A=<A>|<B>'],
    ['-a {{x}} | cat', ' -a "${SVC_ARG_X}" | cat', '<x>'],
  ])('%j', (command, text, words) => {
    const program = compile(command);
    expect(program).toMatchObject({ mode: 'shell', text });
    expect(shown(program)).toBe(words);
  });
});

describe('values are welcome where they are data', () => {
  test.each([
    'docker exec {{x}} ls -- {{y}}',
    'docker exec -e A={{x}} -w {{y}} web ls',
    'docker run --rm -v {{x}}:/data app:{{y}} ls',
    'docker logs --tail {{n}} {{x}}',
    'kubectl -n {{x}} exec {{y}} -- ls',
    'kubectl scale deploy/{{x}} --replicas={{n}}',
    'timeout {{n}} ls {{x}}',
    'nice -n {{n}} ls',
    'env A={{x}} B={{y}} ls',
    'ssh {{x}} uptime',
    'ssh -p {{n}} -l {{x}} host uptime',
    'git commit -m {{x}}',
    'git log --format={{x}} -- {{y}}',
    'git checkout {{x}}',
    'python3 deploy.py --env {{x}} {{d}}',
    "python3 -c 'import sys; print(sys.argv[1])' {{x}}",
    'node -e code -- {{d}}',
    'bash deploy.sh {{x}} {{d}}',
    'psql -v id={{x}} -f query.sql',
    'sqlite3 {{x}} "select 1"',
    "jq --arg a {{x}} '.[$a]' file",
    'find {{x}} -name {{y}} -delete',
    'find . -exec grep --regexp={{x}} {} +',
    'tar -czf {{x}} {{y}}',
    'rsync -a ./{{x}} host:/srv',
    'curl -d {{x}} https://example.org/{{y}}',
    'grep -- {{x}} file',
    'systemctl {{x}} nginx',
    'npm test -- {{x}}',
    'exec < {{x}}; cat',
    'npm run deploy -- --env={{x}}',
    'ffmpeg -i {{x}} -vf scale={{n}}:-1 out.mp4',
    'docker compose up -d {{x}}',
    'terraform apply -var env={{x}}',
    'rm -rf -- /tmp/{{x}}',
    'bash -euo pipefail deploy.sh {{x}}',
    'curl -d \'{"ref": "{{x}}"}\' https://example.org',
    'test -f {{x}}',
    "printf '%s\\n' {{d}}",
    'echo {{x}} | awk 1',
    'echo {{x}} | python3 read.py',
    'echo {{x}} | xargs -n1 ping -c1 --',
    'set -- {{x}}; ls -- "$1"',
    'export A={{x}}; ls',
    'v={{x}}; ls -- "$v"',
    'ls -- "$SVC_ARG_X"',
    'echo "$(cat "$SVC_ARG_X")"',
    'echo ${#SVC_ARG_X} $SVC_ARG_N',
    'for i in $SVC_ARG_X; do ls -- "$i"; done',
    'set -- $SVC_ARG_X; ls -- "$@"',
    'printenv SVC_ARG_X',
    'let v=SVC_ARG_N',
    'v=$SVC_ARG_X; ls -- "$v"',
    'cat < $SVC_ARG_X',
    'sh -c \'echo "$SVC_ARG_X"\'',
    '"$HOME/bin/deploy" {{x}}',
    '[[ -f a ]] && ls {{x}}',
    'wait; kill {{n}}',
    '[ {{n}} -gt 5 ] && exit {{n}}',
    '[ "$SVC_ARG_N" -gt 5 ]',
  ])('%s', (command) => {
    expect(compile(command).mode).toBeString();
  });
});

test('the secrets of a command are listed once, in order', () => {
  expect(compile('echo $svc:B "$svc:A" $svc:B').secrets).toEqual(['A', 'B']);
});

test('what looks like a typing error is noted and refuses nothing', () => {
  const branch = { name: 'branch', required: true, type: 'string', allowDash: false, secret: false } as const;
  const compiled = compileCommand('echo {{ branch }} {{branch}} {{.branch}} {{brnach}} {{x}} $svc:', [
    branch,
  ]);
  expect(compiled).toMatchObject({
    kind: 'program',
    notes: [
      {
        offset: 5,
        length: 12,
        message: '{{ branch }} is text here, not an argument; did you mean {{branch}}?',
      },
      {
        offset: 41,
        length: 10,
        message: '{{brnach}} is text here, not an argument; did you mean {{branch}}?',
      },
      {
        offset: 58,
        length: 5,
        message: '$svc: is followed by no name: $svc:NAME stands for the secret called NAME',
      },
    ],
  });
});
