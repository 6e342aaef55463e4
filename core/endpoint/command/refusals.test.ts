import { describe, expect, test } from 'bun:test';
import { compileCommand } from './compile-command.ts';
import { TEST_ARGUMENTS } from './test-arguments.ts';

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

describe('decision 7: a value may not be the name of a command', () => {
  test.each([
    '«{{x}}»',
    '«{{x}}» -la',
    '"«{{x}}»"',
    './bin/«{{x}}».sh',
    "'«{{x}}»' | cat",
    'ls; «{{x}}»',
    'ls && «{{x}}» || «{{y}}»',
    'ls | «{{x}}»',
    'ls & «{{x}}»',
    'ls\n«{{x}}»',
    '! «{{x}}»',
    'X=1 «{{x}}»',
    '>f «{{x}}»',
    '( «{{x}}» )',
    '{ «{{x}}»; }',
    'if «{{x}}»; then «{{y}}»; fi',
    'while «{{x}}»; do «{{y}}»; done',
    'for i in a; do «{{x}}»; done',
    'case a in a) «{{x}}»;; esac',
    'f() { «{{x}}»; }',
    'sudo «{{x}}»',
    'sudo -u root -E «{{x}}»',
    'sudo -- «{{x}}»',
    'env «{{x}}»',
    'env -i A=1 «{{x}}»',
    'timeout 5 «{{x}}»',
    'timeout -k 5 --signal=KILL 10s «{{x}}»',
    'nice «{{x}}»',
    'nice -n 5 «{{x}}»',
    'nohup «{{x}}» &',
    'xargs «{{x}}»',
    'xargs -0 -n 1 «{{x}}»',
    'docker exec web «{{x}}»',
    'docker exec -it -u root web «{{x}}»',
    'docker -H tcp://h exec web «{{x}}»',
    'docker compose exec web «{{x}}»',
    'docker run --rm alpine:3 «{{x}}»',
    'kubectl exec pod -- «{{x}}»',
    'kubectl -n ns exec -it pod -c app -- «{{x}}»',
    'kubectl exec pod -n ns «{{x}}»',
    'sudo env A=1 nice timeout 5 «{{x}}»',
    'command «{{x}}»',
    'exec «{{x}}»',
    'time «{{x}}»',
    'stdbuf -oL «{{x}}»',
    'setsid -f «{{x}}»',
    'flock /tmp/lock «{{x}}»',
    'strace -f «{{x}}»',
    'chroot / «{{x}}»',
    'doas -u me «{{x}}»',
    'busybox «{{x}}»',
    'ssh-agent «{{x}}»',
    'npx -y «{{x}}»',
    'find . -exec «{{x}}» \\;',
    '/usr/bin/env «{{x}}»',
  ])('%s', expectRefused);
});

describe('decision 7: nor stand where a shell reads text again', () => {
  test.each([
    'echo `echo «{{x}}»`',
    'echo "`echo \\"«{{x}}»\\"`"',
    'echo $(echo «{{x}}»)',
    'echo "$(echo "«{{x}}»")"',
    'echo "$(cat $(echo «{{x}}»))" {{y}}',
    'echo $((1 + «{{n}}»))',
    'echo "$(( («{{x}}») ))"',
    '[[ «{{x}}» = a ]]',
    '[[ -f a && «{{n}}» -gt 1 ]] && ls {{y}}',
    'time [[ 1 -eq «{{x}}» ]]',
    'cat <<EOF\n«{{x}}» a «{{y}}»\nEOF\n',
    "cat <<'EOF'\n«{{x}}»\nEOF\necho {{y}}",
    'cat <<-EOF && ls {{y}}\n\t«{{x}}»\n\tEOF',
    'cat <<«{{x}}»\na\n',
    'echo \\«{{x}}»',
    'echo "\\«{{x}}»"',
    'echo $«{{x}}»',
    'echo "costs $«{{x}}»"',
    "echo 'US$«{{x}}»'",
    'echo ${A:-«{{x}}»}',
    'echo "${A:-«{{x}}»}"',
    'echo a >&«{{n}}»',
    'echo a 2>& «{{x}}»',
    'cat <&«{{n}}»',
    'ls >&"«$SVC_ARG_X»"',
  ])('%j', expectRefused);
});

describe('decision 7: nor in a text that a program parses again', () => {
  test.each([
    'eval «{{x}}»',
    'eval "echo «{{x}}»"',
    'command eval «{{x}}»',
    'builtin eval «{{x}}»',
    '! eval «{{x}}»',
    'time ! eval «{{x}}»',
    '. «{{x}}»',
    '. ./env.sh «{{x}}»',
    'source «{{x}}»',
    "trap '«{{x}}»' EXIT",
    'test -v «{{x}}»',
    '[ -v «{{x}}» ]',
    '[ ! -v «{{x}}» ]',
    'sh -c «{{x}}»',
    'sh -c "echo «{{x}}»"',
    "sh -c 'echo «{{x}}»'",
    'bash -c «{{x}}» bash {{y}}',
    '/bin/bash -lc «{{x}}»',
    'bash -xec «{{x}}»',
    'bash -o pipefail -c «{{x}}»',
    'bash --norc -c «{{x}}»',
    'zsh -c «{{x}}»',
    'dash +e -c «{{x}}»',
    '/BIN/SH -c «{{x}}»',
    's\\h -c «{{x}}»',
    '"s"h -c «{{x}}»',
    'sh «{{x}}»',
    'sh - «{{x}}»',
    'sh -c - «{{x}}»',
    'bash -e - «{{x}}»',
    'bash -c - «{{x}}» {{y}}',
    'busybox sh -c + «{{x}}»',
    'chronic «{{x}}»',
    '/lib64/ld-linux-x86-64.so.2 «{{x}}»',
    'run-parts «{{x}}»',
    'start-stop-daemon --start --exec «{{x}}»',
    'cmake -P «{{x}}»',
    'fish -C ls «{{x}}»',
    'fish -c «{{x}}»',
    'fish -p out «{{x}}»',
    'mksh -T a «{{x}}»',
    'sudo -u root bash -c «{{x}}»',
    'docker exec web sh -c "echo «{{x}}»"',
    'kubectl exec pod -- sh -c «{{x}}»',
    'busybox sh -c «{{x}}»',
    'xargs sh -c «{{x}}»',
    'env -S «{{x}}»',
    'env --split-string=«{{x}}»',
    'some-wrapper --flag sh -c «{{x}}»',
    'ssh host «{{x}}»',
    'ssh host ls -- «{{x}}»',
    'ssh -p 22 me@host "ls «{{x}}»"',
    'ssh -o ProxyCommand=«{{x}}» host',
    'ssh {{x}} ls «{{y}}»',
    "awk '{ print «{{x}}» }' file",
    'awk -v a=«{{x}}» 1',
    'gawk -f prog.awk «{{x}}»',
    'sed s/a/«{{x}}»/ file',
    'sed -i "s/«{{x}}»/b/" file',
    "sed -e '«{{x}}»d' file",
    'perl -e «{{x}}»',
    "perl -ne 'print' «{{x}}»",
    'perl -pe "s/a/«{{x}}»/" f',
    'perl «{{x}}»',
    'python3 -c «{{x}}»',
    'python3.11 -c "print(«{{x}}»)"',
    'python -m «{{x}}»',
    'python3 «{{x}}»',
    'node -e «{{x}}»',
    'node --eval «{{x}}»',
    'node --eval=«{{x}}»',
    'node -p «{{x}}»',
    'node -e code «{{d}}»',
    'ruby -e «{{x}}»',
    'php -r «{{x}}»',
    'su -c «{{x}}»',
    'su - me -c "ls «{{x}}»"',
    'find . -exec sh -c «{{x}}» \\;',
    'find . -execdir bash -c "ls «{{x}}»" {} +',
    'find . -exec grep «{{x}}» {} \\;',
    'find . -exec env + sh -c x«{{x}}» \\;',
    'find «{{d}}»',
    'watch «{{x}}»',
    "watch -n 1 'ls «{{x}}»'",
    'make VAR=«{{x}}»',
    'make «{{x}}»',
    'make -C dir all A=«{{x}}»',
    'psql -c «{{x}}»',
    'psql db -c "select «{{x}}»"',
    'psql --command=«{{x}}»',
    'mysql -e «{{x}}» db',
    'mysql --execute="select «{{x}}»"',
    'sqlite3 app.db «{{x}}»',
    'sqlite3 -json app.db "select «{{x}}»"',
    'jq «{{x}}» file',
    'jq ".a == «{{x}}»" file',
    'git -c «{{x}}» log',
    'git -c alias.x=«{{x}}» x',
    'git rebase --exec «{{x}}» main',
    'git bisect run «{{x}}»',
    'git «{{x}}»',
    'tar -xf f --to-command=«{{x}}»',
    'tar -xf f --to-com «{{x}}»',
    'tar cIf «{{x}}» f',
    'tar -xf f «{{d}}»',
    'rsync -e «{{x}}» a b',
    'scp «{{x}}» host:/tmp',
    'scp f host:«{{x}}»',
    'parallel «{{x}}»',
    'crontab «{{x}}»',
    'at «{{x}}»',
    'tmux new-session «{{x}}»',
    'docker run --entrypoint «{{x}}» alpine:3',
    'docker run «{{x}}»',
    'unset «{{x}}»',
    'read «{{x}}»',
    'export «{{x}}»',
    'declare -i a=«{{x}}»',
    'set «{{x}}»',
    'exit «{{x}}»',
    'shift «{{x}}»',
    '[ «{{x}}» -gt 1 ]',
    'test 1 -eq "«{{x}}»"',
    '[ {{n}} -eq «$svc:A» ]',
    '[ "«$SVC_ARG_X»" -eq 1 ]',
    'let «{{x}}»',
    'printf -v «{{x}}» a',
  ])('%s', expectRefused);
});

describe('nor reach such a place on a way around', () => {
  test.each([
    'echo «{{x}}» | sh',
    'echo «{{x}}» | sudo bash -s',
    'echo a-«{{x}}» | cat | python3 -',
    'printf %s «{{x}}» | docker exec -i web sh',
    'echo «{{x}}» | ssh host',
    'echo «{{x}}» | psql db',
    'echo «{{x}}» | xargs sh -c',
    "echo «{{x}}» | xargs -I% sh -c 'ls %'",
    'echo «{{x}}» | xargs -I% %',
    'echo «{{x}}» | xargs env',
    'echo «{{x}}» | $RUNNER',
    '{ echo «{{x}}»; } | { cat; sh; }',
    'sh < «{{x}}»',
    'f() { sh; }; echo «{{x}}» | f',
    'exec < «{{x}}»; sh',
    'exec 3< "«{{x}}»"; ls; sh <&3',
    'sh -c "echo «$SVC_ARG_X»"',
    'eval "«$SVC_ARG_X»"',
    '«$SVC_ARG_X» -la',
    'echo $((«SVC_ARG_X» + 1))',
    'let «v=SVC_ARG_X»',
    'declare -i «v=SVC_ARG_X»',
    '[ «SVC_ARG_X» -eq 1 ]',
    'cat <<EOF | sh\n«$SVC_ARG_X»\nEOF',
    '[[ «$SVC_ARG_X» -eq 1 ]]',
    'v={{x}}; eval "«$v»"',
    'v={{x}}; «$v»',
    'v={{x}}; w=$v; u="${w}"; eval "«$u»"',
    'while eval "«$w»"; do w=$v; v={{x}}; done',
    'export v={{x}}; sh -c "«$v»"',
    'for v in {{x}}; do eval "«$v»"; done',
    'set -- {{x}}; eval "«$1»"',
    'f() { eval "«$1»"; }; f {{x}}',
    'echo {{x}} | while read -r v; do eval "«$v»"; done',
    'eval "$(cat "«$SVC_ARG_X»")"',
    '"$CMD" «{{x}}»',
    '$SUDO ls «{{x}}»',
    'sudo $FLAGS «{{x}}»',
    'sudo -u $U ls «{{x}}»',
    'timeout x$T ls «{{x}}»',
    'ls «$SVC_ARG_X»',
    'ls "$HOME"/«$SVC_ARG_X»',
    'time -f «${SVC_ARG_X}» ls',
    'find «$SVC_ARG_X» -name a',
    'v={{x}}; ls «$v»',
    'export v=«$SVC_ARG_X»',
    'f() { ls «$1» «$@»; }; f {{x}}',
    'echo $(cat "«$SVC_ARG_X»")',
    'echo «`eval \\"$SVC_ARG_X\\"»`',
    'sudo --unknown a «{{x}}»',
    'timeout «{{o}}» ls',
    'docker exec «{{o}}» web ls',
    'ssh «{{d}}» ls',
  ])('%j', expectRefused);
});

describe('nor decide what runs through a variable (decision 12)', () => {
  test.each([
    'PATH=«{{x}}» ls',
    'PATH=/opt/«{{x}}»:$PATH; ls',
    'export LD_PRELOAD=«{{x}}»',
    'env BASH_ENV=«{{x}}» bash -c ls',
    'PS1=«{{x}}» sh -i',
    'sudo PYTHONPATH=«{{x}}» python3 a.py',
    'docker exec -e NODE_OPTIONS=«{{x}}» web node a.js',
    'docker run --env=PERL5OPT=«{{x}}» app:1 ls',
    'for IFS in «{{x}}»; do ls; done',
    'GIT_SSH_COMMAND=«{{x}}» git fetch',
    'EDITOR=«{{x}}» git commit',
  ])('%s', expectRefused);
});

describe('nor in a text that shells read in different ways', () => {
  test.each([
    "echo «$'»{{x}}'",
    'echo «$"»{{x}}"',
    'echo "«$[»{{n}}]"',
    'echo «{a,{{x}}}»',
    'cat «<»<< {{x}}',
    'diff «<»(ls) {{x}}',
    'ls «&»> {{x}}',
    'ls |«&» cat {{x}}',
    '«(»(x = {{n}}))',
    'a=«(»{{x}})',
    '«a+={{x}}»',
    '«a[1]={{x}}»',
    '«s»elect x in {{x}}; do ls; done',
    'echo «$((ls»); (ls)) {{x}}',
    'echo "«${»A:0:3}" {{x}}',
    'echo «ab\\\n»cd {{x}}',
    '«if true; then ls {{x}}»',
    'ls {{x}} «)»',
    'cat <<EOF\n«$(date)\n»EOF\necho {{x}}',
  ])('%j', expectRefused);
});

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

describe('what no shell could run', () => {
  test.each(["echo «'»abc", 'echo «"»abc', 'echo «`»abc', 'echo «"»a $(ls)', 'echo a«\0»b', "«''» a"])(
    '%j',
    expectRefused,
  );

  test.each(['', ' ', '\n'])('%j', (text) => {
    expect(refusedPlaces(text)).toEqual([{ offset: 0, length: text.length }]);
  });
});

test('all problems of a command are told, in their order', () => {
  expectRefused('«{{x}}» a; sh -c «{{x}}»; echo $(ls «{{y}}») "$«{{x}}»" {{y}}');
});

test('an alias is not allowed beside values, because it changes what later words mean', () => {
  expectRefused('«alias e=eval»\ne "$SVC_ARG_X"');
  expectRefused("«alias ll='eval'»\nls {{x}}");
  expect(refusedPlaces("alias ll='ls -l'\nll")).toEqual([]);
});

test('other ways to change what later words mean are not allowed beside values, either', () => {
  expectRefused('«hash -p /bin/sh foo»; foo -c {{x}}');
  expectRefused('«"$v"hash -p /bin/sh foo»; foo -c {{x}}');
  expectRefused('«enable -f ./lib foo»; foo {{x}}');
  expectRefused('. ./a; «. /dev/stdin <<\'E\'»\nf() { eval "$1"; }\nE\nf {{x}}');
  for (const harmless of ['hash -r; ls {{x}}', '. ./lib.sh; ls {{x}}'])
    expect(refusedPlaces(harmless)).toEqual([]);
});

describe('what eval and trap run is looked at like the rest', () => {
  test.each([
    'eval «alias e=eval»\ne {{x}}',
    'e"$v"val «alias e=eval»\ne {{x}}',
    "eval «'alias e=eval'»\ne {{x}}",
    'eval «hash -p /bin/sh f»; f -c {{x}}',
    'eval -- «enable -f ./lib f»; f {{x}}',
    'command eval «al"i"as e=eval»\ne {{x}}',
    'eval «\'f() { eval "$1"; }\'»; f {{x}}',
    'trap «\'eval "$v"\'» EXIT; v={{x}}',
    'trap -- «\'eval "$1"\'» EXIT; set -- {{x}}',
    'trap «"alias e=eval"» DEBUG\ne {{x}}',
    'eval «\'eval "eval \\"\\$v\\""\'»; v={{x}}',
    "eval «'case x in'»; ls {{x}}",
  ])('%s', (marked) => expectRefused(marked));

  test.each([
    'eval "$(ssh-agent -s)"; ssh-add {{x}}',
    'eval set -- "$opts"; ls {{x}}',
    'trap \'rm -f "$t"\' EXIT; t=$(mktemp); cp {{x}} "$t"',
    "trap '' INT TERM; ls {{x}}",
    'trap - INT; ls {{x}}',
    'trap clean EXIT; clean() { rm -f "$t"; }; ls {{x}}',
    "eval 'alias e=eval'",
  ])('%s is no harm', (command) => expect(refusedPlaces(command)).toEqual([]));

  test('however deep, and however much of it there is', () => {
    const nested = Array.from({ length: 12 }, () => 'eval ').join('');
    expect(refusedPlaces(`${nested}alias e=eval\ne {{x}}`)).toHaveLength(1);
    const many = Array.from({ length: 200 }, (_, n) => `eval "echo ${n}"`).join('; ');
    expect(refusedPlaces(`${many}; ls {{x}}`)).toEqual([]);
  });
});

describe('every message says what stands there and what to do instead', () => {
  test.each([
    ['{{x}} a', 'write the name of the command and pass the value as an argument after --'],
    ['sh -c "echo {{x}}"', 'write "$SVC_ARG_X" inside single quotes'],
    ['echo $(echo {{x}})', 'write "$SVC_ARG_X" there'],
    ['ls $SVC_ARG_X', '$SVC_ARG_X is outside quotes here'],
    ['ls $(echo "$SVC_ARG_X")', 'put double quotes around all of it'],
    ['python3 -c {{x}}', 'os.environ["SVC_ARG_X"]'],
    ['awk {{x}}', 'ENVIRON["SVC_ARG_X"]'],
    ['sqlite3 a.db {{x}}', 'reads SVC_ARG_X'],
    ['jq {{x}} f', '--arg x VALUE'],
    ['make A={{x}}', '"$$SVC_ARG_X" in the recipe'],
    ['echo a >&{{x}}', 'use > FILE 2>&1'],
    ["echo $'{{x}}'", 'use plain quotes'],
    ['timeout {{o}} ls', 'make the argument required or give it a default'],
    ['ssh {{d}} ls', 'write -- before it'],
    ['cat <<E\n{{x}}\nE', "printf '%s' {{x}} |"],
    ['[ {{x}} -a {{y}} ]', 'join tests with && and ||'],
    ['echo {{s}}', 'SVC_ARG_S'],
    ["echo 'abc", 'close it'],
  ])('%j', (command, fix) => {
    const compiled = compileCommand(command, TEST_ARGUMENTS);
    expect(compiled.kind === 'problems' && compiled.problems[0]?.message).toContain(fix);
  });
});
