import { describe, expect, test } from 'bun:test';
import { parseTable } from './parse-table.ts';

const table = (text: string): Record<string, unknown>[] => JSON.parse(parseTable(text));
const column = (text: string, name: string) => table(text).map((row) => row[name]);

// Laid out by the tools themselves; some values were changed so that each rule is met.

const DOCKER_PS = `CONTAINER ID   IMAGE                            COMMAND                  CREATED          STATUS                                PORTS                                     NAMES
3f4ab1c2d3e4   nginx:1.27                       "/docker-entrypoint.…"   2 hours ago      Up 2 hours (healthy)                  0.0.0.0:8080->80/tcp, [::]:8080->80/tcp   web
9a8b7c6d5e4f   ghcr.io/acme/worker:2025-01-31   "sh -c 'exec  worker'"   3 days ago       Up 3 days                                                                       queue-worker-1
0123456789ab   postgres                         "docker-entrypoint.s…"   22 seconds ago   Exited (137) Less than a second ago   5432/tcp                                  db
`;

const DOCKER_IMAGES = `REPOSITORY   TAG       IMAGE ID       CREATED       SIZE
nginx        1.27      3f4ab1c2d3e4   5 weeks ago   191MB
`;

const KUBECTL_WIDE = `NAME                   READY   STATUS             RESTARTS        AGE    IP         NODE     NOMINATED NODE   READINESS GATES
api-7d9c5b8f6-x2x9k    1/1     Running            0               5d1h   10.1.0.7   node-1   <none>           <none>
batch-28934521-lq7zz   0/1     CrashLoopBackOff   12 (3m4s ago)   41m    10.1.0.9   node-1   <none>           <none>
`;

const KUBECTL_LABEL = `NAME                   READY   STATUS             RESTARTS        AGE    APP
api-7d9c5b8f6-x2x9k    1/1     Running            0               5d1h   api
batch-28934521-lq7zz   0/1     CrashLoopBackOff   12 (3m4s ago)   41m    
db-0                   2/2     Running            1 (2d ago)      12d    db
`;

const KUBECTL_TWO_KINDS = `NAME                   READY   STATUS             RESTARTS        AGE
batch-28934521-lq7zz   0/1     CrashLoopBackOff   12 (3m4s ago)   41m
db-0                   2/2     Running            1 (2d ago)      12d

NAME         TYPE           CLUSTER-IP   EXTERNAL-IP   PORT(S)                      AGE
kubernetes   ClusterIP      10.96.0.1    <none>        443/TCP                      12d
`;

const DF = `Filesystem              1K-blocks     Used Available Use% Mounted on
devtmpfs                 12334460        0  12334460   0% /dev
/dev/vda                264212084 24255184  82135728  23% /
tmpfs                    12342040        0  12342040   0% /mnt/my  backup disk
`;

const DF_ONE_ROW = `Filesystem      Size  Used Avail Use% Mounted on
/dev/vda        252G  173G   79G  69% /
`;

const DF_FULL = `Filesystem     1K-blocks  Used Available Use% Mounted on
/dev/vdb       182136727   999 182135728 100% /full
`;

const DF_MACOS = `Filesystem       512-blocks      Used Available Capacity iused      ifree %iused  Mounted on
/dev/disk3s1s1    965595304  21479112 424358640     5%  404167 2121793200    0%   /
map auto_home             0         0         0   100%       0          0  100%   /System/Volumes/Data/all home
`;

const PS_AUX = `USER       PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
root         1  0.7  0.0  50204 19348 ?        S<Ll 10:32   0:21 /process_api --addr 0.0.0.0:2024
root         2  0.0  0.0      0     0 ?        S    10:32   0:00 [kthreadd]
root     28463  0.0  0.0   4748  2260 pts/0    S    11:08   0:00 sh -c  echo  two
root     28532  0.4  0.1 6622996 132720 ?      Sl   11:08   0:03 bun server.ts
systemd+   771  0.0  0.0 12345678901 1234567 pts/10 Ssl+ Nov19 1234:56 /usr/lib/systemd
`;

const PS_EF = `UID        PID  PPID  C STIME TTY          TIME CMD
root         1     0  0 10:32 ?        00:00:21 /sbin/init splash
root         2     0  0 10:32 ?        00:00:00 [kthreadd]
`;

const PS = `  PID TTY          TIME CMD
    1 ?        00:00:22 process_api
12345 pts/0    00:00:00 bash
`;

const PS_THREE_DIGITS = `    PID TT       STAT
    123 pts/0    Ss
    124 pts/0    R+
`;

const RIGHT_WITH_GAPS = `NAME      SIZE    FREE
tank   1234567  123456
`;

const LSBLK = `NAME  MAJ:MIN RM  SIZE RO TYPE MOUNTPOINTS
zram0 253:0    0    0B  0 disk 
vda   254:0    0  256G  0 disk /
`;

describe('docker and kubectl', () => {
  test('names and values may hold spaces, a cell may be empty', () => {
    expect(table(DOCKER_PS)).toEqual([
      {
        'CONTAINER ID': '3f4ab1c2d3e4',
        IMAGE: 'nginx:1.27',
        COMMAND: '"/docker-entrypoint.…"',
        CREATED: '2 hours ago',
        STATUS: 'Up 2 hours (healthy)',
        PORTS: '0.0.0.0:8080->80/tcp, [::]:8080->80/tcp',
        NAMES: 'web',
      },
      {
        'CONTAINER ID': '9a8b7c6d5e4f',
        IMAGE: 'ghcr.io/acme/worker:2025-01-31',
        COMMAND: `"sh -c 'exec  worker'"`,
        CREATED: '3 days ago',
        STATUS: 'Up 3 days',
        PORTS: '',
        NAMES: 'queue-worker-1',
      },
      {
        'CONTAINER ID': '0123456789ab',
        IMAGE: 'postgres',
        COMMAND: '"docker-entrypoint.s…"',
        CREATED: '22 seconds ago',
        STATUS: 'Exited (137) Less than a second ago',
        PORTS: '5432/tcp',
        NAMES: 'db',
      },
    ]);
  });

  test('one row is enough', () => {
    expect(table(DOCKER_IMAGES)).toEqual([
      { REPOSITORY: 'nginx', TAG: '1.27', 'IMAGE ID': '3f4ab1c2d3e4', CREATED: '5 weeks ago', SIZE: '191MB' },
    ]);
  });

  test('kubectl: two-word names, ages in brackets', () => {
    expect(table(KUBECTL_WIDE)[1]).toEqual({
      NAME: 'batch-28934521-lq7zz',
      READY: '0/1',
      STATUS: 'CrashLoopBackOff',
      RESTARTS: '12 (3m4s ago)',
      AGE: '41m',
      IP: '10.1.0.9',
      NODE: 'node-1',
      'NOMINATED NODE': '<none>',
      'READINESS GATES': '<none>',
    });
  });

  test('the last cell may be empty', () => {
    expect(column(KUBECTL_LABEL, 'APP')).toEqual(['api', '', 'db']);
    expect(column(KUBECTL_LABEL, 'RESTARTS')).toEqual(['0', '12 (3m4s ago)', '1 (2d ago)']);
  });

  test('a blank line ends one table, the next has names of its own', () => {
    const rows = table(KUBECTL_TWO_KINDS);
    expect(rows.map((row) => row.NAME)).toEqual(['batch-28934521-lq7zz', 'db-0', 'kubernetes']);
    expect(rows[2]).toEqual({
      NAME: 'kubernetes',
      TYPE: 'ClusterIP',
      'CLUSTER-IP': '10.96.0.1',
      'EXTERNAL-IP': '<none>',
      'PORT(S)': '443/TCP',
      AGE: '12d',
    });
  });
});

describe('df', () => {
  test('numbers to the right, one name of two words, a path with spaces', () => {
    expect(table(DF)).toEqual([
      row('devtmpfs', '12334460', '0', '12334460', '0%', '/dev'),
      row('/dev/vda', '264212084', '24255184', '82135728', '23%', '/'),
      row('tmpfs', '12342040', '0', '12342040', '0%', '/mnt/my  backup disk'),
    ]);
  });

  test('one row that happens to fit the left edges', () => {
    expect(table(DF_ONE_ROW)).toEqual([
      { Filesystem: '/dev/vda', Size: '252G', Used: '173G', Avail: '79G', 'Use%': '69%', 'Mounted on': '/' },
    ]);
  });

  test('one row without two spaces between its numbers', () => {
    expect(table(DF_FULL)).toEqual([row('/dev/vdb', '182136727', '999', '182135728', '100%', '/full')]);
  });

  test('macOS: a file system whose name has a space', () => {
    expect(column(DF_MACOS, 'Filesystem')).toEqual(['/dev/disk3s1s1', 'map auto_home']);
    expect(column(DF_MACOS, '512-blocks')).toEqual(['965595304', '0']);
    expect(column(DF_MACOS, 'Mounted on')).toEqual(['/', '/System/Volumes/Data/all home']);
  });

  function row(...[filesystem, blocks, used, available, percent, mounted]: string[]) {
    return {
      Filesystem: filesystem,
      '1K-blocks': blocks,
      Used: used,
      Available: available,
      'Use%': percent,
      'Mounted on': mounted,
    };
  }
});

describe('ps', () => {
  test('the last column takes the rest of the line, spaces included', () => {
    expect(column(PS_AUX, 'COMMAND')).toEqual([
      '/process_api --addr 0.0.0.0:2024',
      '[kthreadd]',
      'sh -c  echo  two',
      'bun server.ts',
      '/usr/lib/systemd',
    ]);
  });

  test('values that are too long for their column push the others, not into the wrong name', () => {
    expect(table(PS_AUX).slice(3)).toEqual([
      aux('root', '28532', '0.4', '0.1', '6622996', '132720', '?', 'Sl', '11:08', '0:03', 'bun server.ts'),
      aux(
        'systemd+',
        '771',
        '0.0',
        '0.0',
        '12345678901',
        '1234567',
        'pts/10',
        'Ssl+',
        'Nov19',
        '1234:56',
        '/usr/lib/systemd',
      ),
    ]);
  });

  test('ps -ef and bare ps, whose header begins with a space', () => {
    expect(table(PS_EF)[0]).toEqual({
      UID: 'root',
      PID: '1',
      PPID: '0',
      C: '0',
      STIME: '10:32',
      TTY: '?',
      TIME: '00:00:21',
      CMD: '/sbin/init splash',
    });
    expect(table(PS)).toEqual([
      { PID: '1', TTY: '?', TIME: '00:00:22', CMD: 'process_api' },
      { PID: '12345', TTY: 'pts/0', TIME: '00:00:00', CMD: 'bash' },
    ]);
  });

  function aux(...values: string[]) {
    const names = ['USER', 'PID', '%CPU', '%MEM', 'VSZ', 'RSS', 'TTY', 'STAT', 'START', 'TIME', 'COMMAND'];
    return Object.fromEntries(names.map((name, place) => [name, values[place]]));
  }
});

describe('other tables', () => {
  test('a name of two words is two names where values stand below both', () => {
    expect(table('USER   PCPU WHAT\nada    0.03 sh -c w\n')).toEqual([
      { USER: 'ada', PCPU: '0.03', WHAT: 'sh -c w' },
    ]);
  });

  test('process ids that happen to fit the left edge of their name', () => {
    expect(table(PS_THREE_DIGITS)[0]).toEqual({ PID: '123', TT: 'pts/0', STAT: 'Ss' });
  });

  test('numbers to the right of names that stand apart', () => {
    expect(table(RIGHT_WITH_GAPS)).toEqual([{ NAME: 'tank', SIZE: '1234567', FREE: '123456' }]);
  });

  test('a last value that is missing is empty', () => {
    expect(column(LSBLK, 'MOUNTPOINTS')).toEqual(['', '/']);
  });

  test('a header alone is no rows, nothing is no rows', () => {
    expect(table('NAME   READY\n')).toEqual([]);
    expect(table('')).toEqual([]);
  });

  test('one column is a table too', () => {
    expect(table('NAME\ndefault\nkube system\n')).toEqual([{ NAME: 'default' }, { NAME: 'kube system' }]);
  });

  test('a name that stands twice holds both values, and no name is special', () => {
    expect(parseTable('A  A  __proto__\n1  2  3\n')).toBe('[{"A":["1","2"],"__proto__":"3"}]');
  });

  test('CRLF ends lines too', () => {
    expect(table('A  B\r\n1  2\r\n')).toEqual([{ A: '1', B: '2' }]);
  });

  test('a row with too few values is refused by its line', () => {
    expect(() => parseTable('A B C D\n1 2 3 4\n1 2\n')).toThrow(
      'line 3: 2 values for the 4 columns of the header',
    );
    expect(() => parseTable('A B\n1 2\n\nC D E\n1 2 3\n1\n')).toThrow('line 6: 1 values');
  });
});

describe('a table whose shape is given', () => {
  const shaped = (text: string, shape: Parameters<typeof parseTable>[1]) =>
    JSON.parse(parseTable(text, shape));

  test('the last of the columns takes the rest of the line', () => {
    expect(shaped('1  a b  c\n', { columns: ['id', 'name'] })).toEqual([{ id: '1', name: 'a b  c' }]);
  });

  test('without names each row is an array', () => {
    expect(shaped('1 a\n\n2   b c\n', { header: false })).toEqual([
      ['1', 'a'],
      ['2', 'b', 'c'],
    ]);
  });

  test('a header beside columns is left out', () => {
    expect(shaped('ID N\n1 a\n', { columns: ['id', 'name'], header: true })).toEqual([
      { id: '1', name: 'a' },
    ]);
  });

  test('a delimiter keeps empty cells, and takes the names from the first line', () => {
    expect(shaped('a| b |c\n1||3\n', { delimiter: '|' })).toEqual([{ a: '1', b: '', c: '3' }]);
  });

  test('a row of another length is an error', () => {
    expect(() => shaped('1 2 3\n1\n', { columns: ['a', 'b', 'c'] })).toThrow(
      'record 2: 1 values for 3 columns',
    );
    expect(() => shaped('a:b\n1:2:3\n', { delimiter: ':' })).toThrow('record 2: 3 values for 2 columns');
  });

  test('tabs are laid out as a terminal does', () => {
    expect(shaped('A\tBB\tC\n1\t2\t3\n', {})).toEqual([{ A: '1', BB: '2', C: '3' }]);
  });
});
