import { allCode, grammar, named, type Rule } from './rule.ts';

/** Commands that run the command behind them, as another user, later, elsewhere or under watch (decision 7). */
export const WRAPPERS: ReadonlyMap<string, Rule> = new Map([
  ...named(
    'sudo',
    grammar({
      flags:
        '-A -b -B -E -H -K -k -n -P -S -v --askpass --background --preserve-env --set-home --non-interactive --stdin',
      data: '-u -g -h -C -p -r -t -T --user --group --host --close-from --prompt --role --type --command-timeout',
      code: '-D -R -U --chdir --chroot --other-user',
      assigns: true,
      rest: 'command',
    }),
  ),
  ...named('doas', grammar({ flags: '-n -L', data: '-u -a', code: '-C', rest: 'command' })),
  ...named(
    'env genv',
    grammar({
      flags: '- -i -0 -v --ignore-environment --null --debug',
      data: '-u -C --unset --chdir',
      code: '-S -P --split-string',
      assigns: true,
      rest: 'command',
    }),
  ),
  ...named(
    'timeout gtimeout',
    grammar({
      flags: '-v --foreground --preserve-status --verbose',
      data: '-s -k --signal --kill-after',
      operands: 1,
      rest: 'command',
    }),
  ),
  ...named(
    'nice gnice',
    grammar({ flags: '-0 -1 -2 -3 -4 -5 -6 -7 -8 -9', data: '-n --adjustment', rest: 'command' }),
  ),
  ...named('nohup gnohup', grammar({ rest: 'command' })),
  ...named(
    'xargs gxargs',
    grammar({
      flags:
        '-0 -o -p -r -t -x --null --open-tty --interactive --no-run-if-empty --verbose --exit --show-limits',
      data: '-a -d -E -L -n -P -s --arg-file --delimiter --eof --max-lines --max-args --max-procs --max-chars',
      code: '-I -J -R --replace',
      rest: 'command',
    }),
  ),
  ...named('setsid', grammar({ flags: '-c -f -w --ctty --fork --wait', rest: 'command' })),
  ...named('stdbuf gstdbuf', grammar({ data: '-i -o -e --input --output --error', rest: 'command' })),
  ...named('ionice', grammar({ flags: '-t --ignore', data: '-c -n --class --classdata', rest: 'command' })),
  ...named(
    'chrt',
    grammar({ flags: '-a -b -d -f -i -o -r -R -v', data: '-D -P -T', operands: 1, rest: 'command' }),
  ),
  ...named('taskset', grammar({ flags: '-a -c --all-tasks --cpu-list', operands: 1, rest: 'command' })),
  ...named(
    'time gtime',
    grammar({
      flags: '-a -p -q -v --append --portability --quiet --verbose',
      data: '-f -o --format --output',
      rest: 'command',
    }),
  ),
  ...named(
    'strace ltrace',
    grammar({
      flags:
        '-c -C -d -D -f -ff -h -i -k -n -q -qq -r -t -tt -T -v -w -x -xx -y -yy -z -Z --follow-forks --summary-only',
      data: '-a -e -O -P -s -S -u --string-limit --trace --trace-path --user',
      code: '-E -o -p -X --env --output',
      rest: 'command',
    }),
  ),
  ...named(
    'chroot',
    grammar({
      flags: '--skip-chdir',
      data: '--userspec --groups',
      operands: 1,
      rest: 'command',
      readsInput: true,
    }),
  ),
  ...named(
    'flock',
    grammar({
      flags:
        '-s -x -e -u -n -o -F -v --shared --exclusive --unlock --nonblock --nb --close --no-fork --verbose',
      data: '-w -E --wait --timeout --conflict-exit-code',
      code: '-c --command',
      operands: 1,
      permutes: true,
      rest: 'command',
    }),
  ),
  ...named(
    'systemd-run',
    grammar({
      flags:
        '-d -G -P -q -r -t --user --system --scope --wait --pipe --pty --quiet --collect --no-block --remain-after-exit',
      data: '-u -M --unit --uid --gid --slice --machine --nice --working-directory --description',
      sets: '-E --setenv',
      code: '-p --property',
      rest: 'command',
    }),
  ),
  ...named(
    'setpriv',
    grammar({
      flags: '--clear-groups --keep-groups --init-groups --no-new-privs',
      data: '--reuid --regid --groups --inh-caps --bounding-set',
      rest: 'command',
    }),
  ),
  ...named('runuser', grammar({ flags: '-m -p', data: '-u -g -G --user --group', rest: 'command' })),
  ...named(
    'gosu su-exec setuidgid s6-setuidgid faketime envdir setlock',
    grammar({ operands: 1, rest: 'command' }),
  ),
  ...named('tini dumb-init', grammar({ flags: '-c -g -s -v -w', data: '-e -p', rest: 'command' })),
  ...named('nsenter unshare', grammar({ data: '-t -S -G --target', rest: 'command', readsInput: true })),
  ...named('sshpass', grammar({ flags: '-e -v', data: '-p -f -d -P', rest: 'command' })),
  ...named('command', grammar({ flags: '-p', rest: 'command' })),
  ...named('chronic', grammar({ flags: '-e -v', rest: 'command' })),
  ...named('exec', grammar({ flags: '-c -l', data: '-a', rest: 'command' })),
  ...named(
    'npx pnpx bunx uvx pipx',
    grammar({
      flags: '-y -q --yes --no --quiet',
      data: '-p --package --from',
      code: '-c --call',
      rest: 'command',
    }),
  ),
  // No options are known of these: with one of them before the command, a value behind it is refused.
  ...named(
    'builtin nocorrect busybox toybox proxychains proxychains4 torsocks eatmydata fakeroot dbus-run-session xvfb-run unbuffer ' +
      'rlwrap caffeinate firejail bwrap valgrind numactl prlimit cgexec softlimit chpst catchsegv linux32 linux64 retry ' +
      'with-contenv entr ssh-agent microk8s k3s minikube arch',
    grammar({ rest: 'command' }),
  ),
  // Their words are read in too many ways to tell where the command begins.
  ...named(
    'perf setarch tsp tmux screen script parallel sem at batch watch su wsl',
    allCode(fromEnvironment, true),
  ),
  ['crontab', allCode(fromEnvironment, true)],
]);

function fromEnvironment(variable: string): string {
  return `write "$${variable}" inside single quotes, so that the value is read from the environment`;
}
