import { describe, expect, test } from 'bun:test';
import { TEST_ARGUMENTS, UNTYPED_ARGUMENTS } from '../../fixtures/command-arguments.ts';
import { compileCommand } from '../compile-command.ts';

/** What the command takes with `type: text`, and what is inferred for `x` without a type. */
function takes(command: string) {
  const compiled = compileCommand(command, UNTYPED_ARGUMENTS);
  return {
    text: compileCommand(command, TEST_ARGUMENTS).kind === 'program',
    inferred: compiled.kind === 'program' ? compiled.types.get('x') : 'refused',
  };
}

describe('decision 57: no value is in a file that the script may run', () => {
  test.each([
    // An option has the name of the file.
    'echo {{x}} | sort -o s.sh; sh s.sh',
    'echo {{x}} | sort -os.sh; sh s.sh',
    'echo {{x}} | sort -uos.sh; sh s.sh',
    'echo {{x}} | sort --output=s.sh; sh s.sh',
    'echo {{x}} | sort -orun; ./run',
    // The text of a program has the name of the file.
    "echo {{x}} | sed 'w s.sh'; sh s.sh",
    "echo {{x}} | sed -n 'w run'; ./run",
    'echo {{x}} | awk \'{print > "s.sh"}\'; sh s.sh',
    "echo {{x}} | awk '{print > \"s.sh\"}'; sh -c '. ./s.sh'",
    "echo {{x}} | python3 -c \"open('s.sh','w').write(input())\"; sh s.sh",
    'echo {{x}} | perl -e \'open F,">s.sh"; print F <>\'; sh s.sh',
    'echo {{x}} | node -e \'fs.writeFileSync("s.sh",fs.readFileSync(0))\'; sh s.sh',
    // It is an operand.
    'echo {{x}} | tee -a s.sh; sh s.sh',
    'echo {{x}} | dd of=s.sh; sh s.sh',
    'echo {{x}} | cp /dev/stdin s.sh; sh s.sh',
    'echo {{x}} | install -m755 /dev/stdin s.sh; ./s.sh',
    'echo {{x}} | split - s.sh; sh s.shaa',
    'echo {{x}} | csplit - 1; sh xx00',
    'echo {{x}} | curl -T - file:///tmp/s.sh; sh /tmp/s.sh',
    // Only the run decides it.
    'echo {{x}} | tee s.sh; sh *.sh',
    'F=s.sh; echo {{x}} | tee "$F"; sh "$F"',
    'F=s.sh; echo {{x}} | sort -o "$F"; sh "$F"',
    'F=s.sh; echo {{x}} > s.sh; sh "$F"',
    'F=./s.sh; echo {{x}} > s.sh; $F',
    'echo {{x}} > s.sh; sh ./s?sh',
    "echo {{x}} > s.sh; find . -name 's*' -exec sh {} +",
    'echo {{x}} > s.sh; ls | xargs -n1 sh',
    // Something else runs it.
    'echo {{x}} > s.sh; . s.sh',
    'echo {{x}} > s.sh; source ./s.sh',
    'echo {{x}} > s.sh; bash < s.sh',
    'echo {{x}} > s.sh; chmod +x s.sh; ./s.sh',
    'echo {{x}} > s.sh; xargs sh s.sh < /dev/null',
    'echo {{x}} > s.sh; at -f s.sh now',
    'echo {{x}} > s; crontab s',
    'echo {{x}} > s.mk; make -f s.mk',
    'echo {{x}} > s.mk; make -fs.mk',
    'echo {{x}} > s.sh; bash --rcfile=s.sh -i',
    'echo {{x}} > s.sh; BASH_ENV=s.sh bash -c true',
    'echo {{x}} > s.sh; ENV=s.sh make',
    'echo {{x}} > s.sh; sh -c "sh s.sh"',
    'echo {{x}} > s.sed; sed -fs.sed f',
    'echo {{x}} > s.awk; awk --file=s.awk f',
    "echo {{x}} > s.py; python3 -c 'import s'",
    'echo {{x}} > s.py; python3 -m s',
    'echo {{x}} > s.js; node -r./s.js',
    "echo {{x}} > s.sql; sqlite3 db '.read s.sql'",
    'echo {{x}} > s.sql; psql -fs.sql',
    "echo {{x}} > s.sql; mysql -e 'source s.sql'",
  ])('%s', (command) => {
    expect(takes(command)).toEqual({ text: false, inferred: 'refused' });
  });

  test.each([
    'curl -o s.sh {{x}}; sh s.sh',
    'curl -fsSLos.sh {{x}} && chmod +x s.sh && ./s.sh',
    'curl -o s.sh -d {{x}} https://example.org/s; sh s.sh',
    'wget -O s.sh {{x}}; sh s.sh',
    'wget -Os.sh https://example.org/{{x}}/s; sudo sh s.sh',
  ])('and no address chooses it, only words: %s', (command) => {
    expect(takes(command)).toEqual({ text: false, inferred: 'word' });
  });
});

describe('decision 57: a file that nothing runs takes a value', () => {
  test.each([
    ['echo {{x}} > out.txt; cat out.txt', 'word'],
    ['echo {{x}} > out.txt; "$HOME/bin/run"', 'word'],
    ['printf %s {{x}} > msg.txt; python3 "$APP/send.py"', 'word'],
    ['echo {{x}} > v.txt; docker build -f Dockerfile .', 'word'],
    ['echo {{x}} > out.txt; make -C app', 'word'],
    ['echo {{x}} | tee -a log.txt; make deploy', 'word'],
    ["echo {{x}} | sed 'w s.txt'; cat s.txt", 'word'],
    ["echo {{x}} | python3 -c \"open('out.txt','w')\"; cat out.txt", 'word'],
    ["echo {{x}} | awk '{ print $1 }'; sh run.sh", 'word'],
    [
      'printf %s {{x}} | curl -d @- https://api.example.org/a && python3 sync.py --host api.example.org',
      'word',
    ],
    ['echo {{x}} | docker login -u "$USER" --password-stdin; python3 a.py "$USER"', 'word'],
    ['curl -o data.json {{x}}; python3 parse.py data.json', 'word'],
    ['git checkout {{x}} deploy.sh && ./deploy.sh', 'word'],
    ["echo {{x}} | wc -c; bash -c 'echo hi'", 'text'],
    ["ps | grep -F -- {{x}} | grep -v -F -e 'grep -F'", 'text'],
    ["ps | grep -F -- {{x}} | grep -v -F -e 'grep -F'; sh run.sh", 'text'],
    ['echo {{x}} | sort -n; sh run.sh', 'text'],
    ['echo {{x}} | cut -d, -f1; timeout 1 sh run.sh', 'text'],
    ['echo starting deploy.sh for {{x}}; sh deploy.sh {{x}}', 'text'],
    ['python3 a.py {{x}} out.json; python3 b.py out.json', 'text'],
  ] as const)('%s', (command, inferred) => {
    expect(takes(command)).toEqual({ text: true, inferred });
  });
});
