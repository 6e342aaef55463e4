import { describe, expect, test } from 'bun:test';
import { compileCommand } from './compile-command.ts';
import { TEST_ARGUMENTS } from './test-arguments.ts';

const kindOf = (command: string) => compileCommand(command, TEST_ARGUMENTS).kind;

describe('a value may not go into what a command runs from its input', () => {
  test.each([
    'echo {{x}} | sh',
    'echo {{x}} | awk -f - file',
    'echo {{x}} | awk -f/dev/stdin file',
    'echo {{x}} | sed -nf - file',
    'echo {{x}} | sed --file=- file',
    'echo {{x}} | make -f -',
    'echo {{x}} | make --makefile=/dev/stdin all',
    'echo {{x}} | jq -f /dev/stdin file',
    'echo {{x}} | psql app',
    'echo {{x}} | psql -h db -f - app',
    'echo {{x}} | mysql app',
    'echo {{x}} | mariadb --user=root app',
    'echo {{x}} | docker exec -i web psql app',
    'echo {{x}} | sudo -u postgres psql app',
    'echo {{x}} | sqlite3 app.db',
    'echo {{x}} | gdb -p 1',
    'echo {{x}} | ssh host',
    'echo {{x}} | ssh host sh',
    'echo {{x}} | ssh host "cd /srv && python3 -"',
    'echo {{x}} | kubectl apply -f -',
    'echo {{x}} | docker build -f - .',
    'psql app < {{x}}',
  ])('%s', (command) => {
    expect(kindOf(command)).toBe('problems');
  });
});

describe('a value may be data in a pipe', () => {
  test.each([
    'echo {{x}} | cat',
    "echo {{x}} | awk '{ print $1 }'",
    "echo {{x}} | sed 's/a/b/'",
    'echo {{x}} | jq -R .',
    'echo {{x}} | psql -c "COPY t FROM STDIN" app',
    'echo {{x}} | sqlite3 app.db "SELECT 1"',
    'echo {{x}} | tar -xf -',
    'echo {{x}} | ssh host tee -a notes',
    'echo {{x}} | grep -f - file',
  ])('%s', (command) => {
    expect(kindOf(command)).toBe('program');
  });
});
