import { grammar, named, ORDINARY, type Rule } from './rule.ts';

const otherwise = ORDINARY;

const dockerExec = grammar({
  flags: '-d -i -t -T --detach --interactive --tty --no-TTY --privileged',
  data: '-u -w --env-file --user --workdir --index --detach-keys',
  sets: '-e --env',
  operands: 1,
  rest: 'command',
});

const dockerRun = grammar({
  flags:
    '-d -i -t -T -P -q --detach --interactive --tty --rm --init --privileged --read-only --publish-all --quiet --no-healthcheck ' +
    '--sig-proxy --no-deps --service-ports --use-aliases --build --remove-orphans --replace',
  data:
    '-a -c -h -l -m -p -u -v -w --add-host --annotation --attach --cap-add --cap-drop --cidfile --cpus --cpu-shares --cpuset-cpus ' +
    '--device --dns --env-file --expose --gpus --group-add --hostname --ip --ipc --label --link --log-driver --log-opt --memory ' +
    '--memory-swap --mount --name --net --network --network-alias --pid --pids-limit --platform --publish --pull --restart ' +
    '--security-opt --shm-size --stop-signal --stop-timeout --storage-opt --sysctl --tmpfs --ulimit --user --userns --volume ' +
    '--volumes-from --workdir',
  sets: '-e --env',
  code: '--entrypoint --health-cmd --runtime',
  operands: 1,
  operandsAreNamed: true,
  rest: 'command',
});

const runsThere: ReadonlyMap<string, Rule> = new Map([
  ['exec', dockerExec],
  ['run', dockerRun],
  ['create', dockerRun],
]);

const compose = grammar({
  flags: '--dry-run --compatibility --all-resources',
  data: '-f -p --file --project-name --project-directory --profile --ansi --env-file --parallel --progress',
  rest: { named: runsThere, otherwise },
});

const docker = grammar({
  flags: '-D -r --debug --tls --tlsverify --remote',
  data: '-c -H -l --context --host --log-level --tlscacert --tlscert --tlskey --connection --url --namespace -n --address -a',
  code: '--config',
  rest: {
    named: new Map([
      ...runsThere,
      ['container', grammar({ rest: { named: runsThere, otherwise } })],
      ['compose', compose],
    ]),
    otherwise,
  },
});

const kubectlOptions = {
  flags:
    '-i -t -q --stdin --tty --quiet --rm --attach --command --insecure-skip-tls-verify --match-server-version --share-processes',
  data:
    '-n -c -s -l -v --namespace --container --context --cluster --server --user --request-timeout --as --as-group --v --image ' +
    '--restart --labels --pod-running-timeout --target --copy-to --image-pull-policy --port --limits --requests',
  code: '-f --filename --kubeconfig --overrides --token --cache-dir',
} as const;

const inPod = grammar({ ...kubectlOptions, sets: '--env', operands: 1, permutes: true, rest: 'command' });

const kubectl = grammar({
  ...kubectlOptions,
  rest: {
    named: new Map([
      ['exec', inPod],
      ['rsh', inPod],
      ['run', inPod],
      ['debug', inPod],
    ]),
    otherwise,
  },
});

const runCommand = grammar({ rest: 'command' });
/** A script of the project, by name; what follows it, also behind the first `--`, are the script's arguments. */
const runScript = grammar({ flags: '-s --silent', rest: 'program', forwards: true });

const npm = grammar({
  flags: '-s --silent',
  data: '--prefix -C --dir -w --workspace',
  rest: {
    named: new Map<string, Rule>([
      ...named(
        'exec x dlx',
        grammar({ flags: '-y --yes', data: '-p --package', code: '-c --call', rest: 'command' }),
      ),
      ...named('run run-script', runScript),
      ...named(
        'start stop restart test',
        grammar({ flags: '-s --silent', forwards: true, rest: 'arguments' }),
      ),
    ]),
    otherwise,
  },
});

const projectRunner = grammar({
  rest: { named: new Map([...named('run exec x', runCommand)]), otherwise },
});

/** Commands with subcommands that run a command elsewhere: in a container, a pod, a project's environment. */
export const CONTAINERS: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...named('docker podman nerdctl', docker),
  ...named('docker-compose podman-compose', compose),
  ...named('kubectl oc kubecolor', kubectl),
  ...named('npm pnpm yarn', npm),
  ...named(
    'poetry pipenv uv bundle rbenv pyenv nodenv asdf mise hatch pdm conda doppler infisical op dotenvx aws-vault chamber',
    projectRunner,
  ),
  [
    'cargo',
    grammar({
      rest: {
        named: new Map([
          [
            'run',
            grammar({
              flags: '-q -r --release --quiet',
              data: '--bin --example -p',
              forwards: true,
              rest: 'arguments',
            }),
          ],
        ]),
        otherwise,
      },
    }),
  ],
  [
    'direnv',
    grammar({ rest: { named: new Map([['exec', grammar({ operands: 1, rest: 'command' })]]), otherwise } }),
  ],
  [
    'ip',
    grammar({
      flags: '-4 -6 -j -p -s -d -o -br',
      rest: {
        named: new Map([
          [
            'netns',
            grammar({
              rest: { named: new Map([['exec', grammar({ operands: 1, rest: 'command' })]]), otherwise },
            }),
          ],
        ]),
        otherwise,
      },
    }),
  ],
]);
