import { remotePaths } from './remote-paths.ts';
import { allCode, codeOptions, type Fix, grammar, named, type Rule } from './rule.ts';

const sql: Fix = (variable) =>
  `use the client's own parameters (psql -v name=VALUE with :'name'), or build the statement in a script that reads ${variable}`;
const remote: Fix = (variable) =>
  `a shell on the other host parses it: feed the value through a pipe, or let a script on this side read ${variable}`;

const ssh = grammar({
  flags: '-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -tt -V -v -vv -vvv -X -x -Y -y',
  data: '-B -b -c -i -l -m -p -W',
  code: '-D -E -e -F -I -J -L -O -o -P -Q -R -S -w',
  operands: 1,
  rest: 'code',
  readsInput: 'named',
  fix: remote,
});

const psql = grammar({
  flags:
    '-1 -a -A -b -e -E -H -n -q -s -S -t -w -W -x -X -z -0 --echo-all --no-align --echo-errors --html --no-readline --quiet ' +
    '--tuples-only --no-password --password --expanded --no-psqlrc --single-transaction --csv --field-separator-zero',
  data: '-d -F -h -p -R -T -U -v --dbname --field-separator --host --port --record-separator --username --set --variable',
  program: '-c -f --command --file',
  code: '-L -o -P --log-file --output --pset',
  operands: 2,
  permutes: true,
  rest: 'code',
  readsInput: 'always',
  fix: sql,
});

const mysql = grammar({
  flags:
    '-A -B -C -E -f -H -i -N -n -q -r -s -t -v -w -X --batch --force --silent --table --vertical --raw --skip-column-names --quick',
  data: '-D -h -P -S -u --database --host --port --protocol --socket --user --password',
  program: '-e --execute',
  code: '--init-command --plugin-dir --pager --tee --defaults-file --defaults-extra-file --login-path',
  operands: 1,
  permutes: true,
  rest: 'code',
  readsInput: 'always',
  fix: sql,
});

const SQLITE_FLAGS =
  '-ascii -bail -batch -box -column -csv -echo -header -html -interactive -json -line -list -markdown -noheader -quote ' +
  '-readonly -safe -table -tabs';

const sqlite = grammar({
  flags: `${SQLITE_FLAGS} ${SQLITE_FLAGS.replaceAll('-', '--')}`,
  data: '-separator -newline -nullvalue --separator --newline --nullvalue',
  code: '-cmd -init -vfs --cmd --init --vfs -c -s -f',
  operands: 1,
  rest: 'code',
  readsInput: true,
  fix: sql,
});

/** Commands that hand a text to another machine or a database, which parses it (decision 7). */
export const CLIENTS: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...named('ssh autossh slogin dbclient', ssh),
  ...named('mosh rsh rexec lftp ftp', allCode(remote, true)),
  ...named('scp rsync sftp', remotePaths(remote)),
  ...named('psql pgcli', psql),
  ...named('mysql mariadb mycli', mysql),
  ...named('sqlite sqlite3 sqlcipher litecli duckdb', sqlite),
  ...named('mongosh mongo', codeOptions('--eval -f --file', true)),
  ...named(
    'clickhouse clickhouse-client clickhouse-local',
    codeOptions('-q --query --queries-file --multiquery', true),
  ),
  ...named('cqlsh sqlcmd osql isql bcp', codeOptions('-e -f -Q -q -i --execute --file', true)),
  ...named('redis-cli valkey-cli', codeOptions('--eval', true)),
]);
