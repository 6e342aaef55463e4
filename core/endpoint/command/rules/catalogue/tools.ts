import { allCode, codeOptions, grammar, named, ORDINARY, type Rule } from './rule.ts';

const codeEverywhere = allCode();

const gitOptions = codeOptions(
  '--exec --extcmd --open-files-in-pager --receive-pack --tool --upload-pack --template --config -O -u -x -c',
);

const git = grammar({
  flags:
    '-p -P --paginate --no-pager --no-replace-objects --bare --literal-pathspecs --no-optional-locks --version --help',
  data: '-C --git-dir --work-tree --namespace',
  code: '-c --config-env --exec-path --attr-source',
  rest: {
    named: new Map<string, Rule>([
      ...named('bisect config difftool filter-branch mergetool submodule send-email daemon', codeEverywhere),
      ...named('clone fetch pull push ls-remote archive grep rebase fetch-pack send-pack init', gitOptions),
    ]),
    otherwise: ORDINARY,
  },
});

/** Variables and targets alike: a target that holds a `=` sets a variable, and `$(shell …)` in it runs. */
const make = allCode(
  (variable) => `use "$$${variable}" in the recipe, which reads the value from the environment`,
);

/** Commands that are data tools but for some options that run a command. */
export const TOOLS: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['git', git],
  ...named('make gmake bmake nmake remake', make),
  ...named('tar gtar bsdtar', {
    ...codeOptions(
      '--to-command --checkpoint-action --use-compress-program --rsh-command --rmt-command --info-script --new-volume-script -I -F',
    ),
    bundles: true,
  }),
  ['zip', codeOptions('--unzip-command -T')],
  ...named('sort gsort', codeOptions('--compress-program')),
  ...named('split gsplit', codeOptions('--filter')),
  ['wget', codeOptions('--use-askpass --execute --config -e')],
  ['curl', codeOptions('--config -K')],
  ...named('nc ncat netcat', codeOptions('--exec --sh-exec --lua-exec -e -c')),
  ...named('fd fdfind', codeOptions('--exec --exec-batch -x -X')),
  ['rg', codeOptions('--pre --hostname-bin')],
  ['man', codeOptions('--pager --html --preprocessor -P -H -p')],
  ['tcpdump', codeOptions('-z')],
  ['nmap', codeOptions('--script --datadir')],
  ['restic', codeOptions('--option --password-command -o')],
  ['rclone', codeOptions('--password-command --config')],
  ['borg', codeOptions('--rsh --remote-path')],
  ['helm', codeOptions('--post-renderer --kubeconfig')],
  ...named('apt apt-get', codeOptions('--option --config-file -o -c')),
  ['dpkg', codeOptions('--pre-invoke --post-invoke')],
  ...named(
    'ansible ansible-playbook ansible-console',
    allCode((variable) => `read lookup('env', '${variable}') in the playbook`),
  ),
  ...named('gdb lldb socat emacsclient', allCode(undefined, true)),
  ...named('start-stop-daemon run-parts nix-shell nix-env nix', allCode()),
  ...named(
    'ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-linux-armhf.so.3 ld-musl-x86_64.so.1 ld-musl-aarch64.so.1',
    allCode(),
  ),
  ['cmake', codeOptions('-P -E -C')],
]);
