import { allCode, type Fix, grammar, named, ORDINARY, type Rule } from './rule.ts';

const passBehind: Fix = (variable) =>
  `write "$1" there and pass the value behind it, as in sh -c 'echo "$1"' sh VALUE, or write "$${variable}" inside single quotes`;
const fromScript = (expression: (variable: string) => string): Fix => {
  return (variable) =>
    `read ${expression(variable)} in the program, or pass the value as an argument behind it`;
};

const SHELL_FLAGS =
  '-a -b -c -e -f -h -i -k -l -m -n -p -r -t -u -v -x -C +a +b +e +f +h +k +m +n +p +t +u +v +x +C';
const BASH_FLAGS =
  '-B -E -H -P -T +B +E +H +P +T --login --norc --noprofile --posix --restricted --verbose --noediting';

const SHELL = { dashEnds: true, rest: 'program', readsInput: true, fix: passBehind } as const;
/** Any of them: only flags that no other shell takes for an option with a value, as mksh takes `-T`. */
const shell = grammar({ ...SHELL, flags: SHELL_FLAGS, code: '-o +o', plus: true });
const bash = grammar({
  ...SHELL,
  flags: `${SHELL_FLAGS} ${BASH_FLAGS}`,
  code: '-o +o -O +O --rcfile --init-file',
  plus: true,
});
/** Its `-c` takes the program itself, and may come again. */
const fish = grammar({
  ...SHELL,
  flags: '-h -i -l -n -N -P -v --help --interactive --login --no-config --no-execute --private --version',
  code:
    '-C -d -D -f -o -p --init-command --debug --debug-output --debug-stack-frames --features --profile ' +
    '--profile-startup',
  program: '-c --command',
});

const python = grammar({
  flags: '-b -B -d -E -i -I -O -OO -P -q -s -S -u -v',
  code: '-W -X --check-hash-based-pycs',
  program: '-c -m',
  rest: 'program',
  readsInput: true,
  fix: fromScript((variable) => `os.environ["${variable}"]`),
});

const node = grammar({
  flags:
    '-i -c --check --interactive --no-warnings --enable-source-maps --no-deprecation --trace-warnings --throw-deprecation',
  code: '-r -C --require --import --loader --experimental-loader --conditions --env-file --openssl-config --icu-data-dir',
  program: '-e -p -pe --eval --print',
  rest: 'program',
  readsInput: true,
  fix: fromScript((variable) => `process.env.${variable}`),
});

/** Their `-n` and `-p` open operands that may be pipes (`id|`), and options go on behind `-e`. */
const perl = grammar({
  flags: '-s -S -t -T -U -w -W -X',
  code: '-C -F -I -m -M -x',
  program: '-e -E',
  argumentsAreCode: true,
  rest: 'program',
  readsInput: true,
  fix: (variable) => `read $ENV{${variable}} in the program`,
});
const ruby = grammar({
  flags: '-w -W -v -U',
  code: '-C -I -r -E -x',
  program: '-e',
  argumentsAreCode: true,
  rest: 'program',
  readsInput: true,
  fix: (variable) => `read ENV["${variable}"] in the program`,
});

const php = grammar({
  flags: '-n -q -C',
  code: '-c -d -z -t -S --define',
  program: '-r -R -B -E -F -f --run --file',
  rest: 'program',
  readsInput: true,
  fix: fromScript((variable) => `getenv("${variable}")`),
});

const java = grammar({
  flags: '-server -ea -esa',
  code: '-cp -classpath --class-path -p --module-path --add-modules --add-opens',
  program: '-jar -m --module',
  rest: 'program',
  fix: fromScript((variable) => `System.getenv("${variable}")`),
});

const bun = grammar({
  flags: '--silent --hot --watch --smol',
  code: '-r --preload --require --import --define --cwd --config --env-file',
  program: '-e -p --eval --print',
  rest: {
    named: new Map<string, Rule>([
      ['run', grammar({ flags: '--silent --smol', rest: 'program', forwards: true })],
      ['x', grammar({ rest: 'command' })],
      ['test', grammar({ rest: 'code' })],
      ['eval', grammar({ rest: 'code' })],
    ]),
    otherwise: ORDINARY,
  },
});

const other = (program: string, code = '') =>
  grammar({ program, code, rest: 'program', readsInput: true, argumentsAreCode: false });

const awkFix: Fix = (variable) =>
  `read ENVIRON["${variable}"] in the program, or give a file by redirection (awk '…' < FILE)`;
const sedFix: Fix = (variable) =>
  `feed the value through a pipe or a redirection (sed '…' < FILE), or let a script read ${variable} from its environment`;

/** Commands that run a program which is given in their words (decision 7). */
export const INTERPRETERS: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...named('sh zsh dash ash ksh mksh lksh oksh yash csh tcsh rksh posh hush osh ysh', shell),
  ...named('bash rbash', bash),
  ['fish', fish],
  ...named('python pypy ipython jython micropython', python),
  ...named('node nodejs iojs tsx ts-node', node),
  ['perl', perl],
  ...named('ruby jruby', ruby),
  ...named('php php-cli', php),
  ['java', java],
  ['bun', bun],
  ...named('lua luajit raku perl6', other('-e', '-l')),
  ...named('rscript julia elixir groovy scala osascript ghc runghc swift crystal nim', other('-e')),
  ...named('guile racket tclsh wish expect ocaml sbcl clisp ecl janet', other('-c', '-l')),
  ...named('pwsh powershell', allCode(undefined, true)),
  ...named(
    'deno erl octave gnuplot r gp maxima bc dc m4 ed ex vi vim nvim view emacs nano',
    allCode(undefined, true),
  ),
  ...named('awk gawk mawk nawk original-awk goawk', allCode(awkFix)),
  ...named('sed gsed ssed', allCode(sedFix)),
  ...named('rename prename file-rename', grammar({ flags: '-n -v -f', rest: 'program' })),
  [
    'jq',
    grammar({
      flags:
        '-a -c -C -e -j -M -n -r -R -s -S --ascii-output --compact-output --color-output --exit-status --join-output ' +
        '--monochrome-output --null-input --raw-output --raw-input --slurp --sort-keys --tab --seq --stream',
      data: '--indent',
      pairs: '--arg --argjson --slurpfile --rawfile',
      code: '-L',
      program: '-f --from-file',
      rest: 'program',
      fix: () => 'write $x there and pass the value with --arg x VALUE before the filter',
    }),
  ],
  ...named(
    'yq gojq jaq',
    allCode((variable) => `read strenv(${variable}) or env.${variable} in the filter`),
  ),
]);
