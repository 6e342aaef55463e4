import { describe, expect, test } from 'bun:test';
import { parseOutput, type Reading } from './parse-output.ts';

/** A kind of output by its name in jc, the keys that read it, a text of the program, and what one row or the object holds. */
type Sample = readonly [kind: string, reading: Reading, text: string, part: object];

const table: Reading = { parse: 'table' };
const kv: Reading = { parse: 'kv' };

const SAMPLES: readonly Sample[] = [
  // With a header.
  [
    'df',
    table,
    'Filesystem      Size  Used Avail Use% Mounted on\ndevtmpfs         12G     0   12G   0% /dev\n/dev/vda        252G   30G   73G  29% /\n',
    { Filesystem: '/dev/vda', Used: '30G', 'Mounted on': '/' },
  ],
  [
    'ps',
    table,
    'USER       PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\nroot         1  0.6  0.1  59696 24952 ?        SLl  Nov22   1:42 /sbin/init --addr 0.0.0.0:2024\n',
    { PID: '1', COMMAND: '/sbin/init --addr 0.0.0.0:2024' },
  ],
  [
    'free',
    table,
    '               total        used        free      shared  buff/cache   available\nMem:        24684096     3489920    11611300      270580    10252168    21194176\nSwap:              0           1           2\n',
    { '': 'Swap:', total: '0', used: '1', free: '2', shared: '', available: '' },
  ],
  [
    'lsblk',
    table,
    'NAME   MAJ:MIN RM  SIZE RO TYPE MOUNTPOINTS\nzram0  253:0    0    0B  0 disk \nvda    254:0    0  256G  0 disk /\n',
    { NAME: 'zram0', TYPE: 'disk', MOUNTPOINTS: '' },
  ],
  [
    'lsmod',
    table,
    'Module                  Size  Used by\nnf_tables             184320  0\nbridge                176128  1 br_netfilter\n',
    { Module: 'bridge', Size: '176128', 'Used by': '1 br_netfilter' },
  ],
  [
    'lsof',
    table,
    'COMMAND   PID USER   FD      TYPE DEVICE SIZE/OFF NODE NAME\ninit        1 root  cwd   unknown                      /proc/1/cwd (readlink: Permission denied)\nsh          7 root  txt       REG  254,0   125688  812 /usr/bin/dash\n',
    { COMMAND: 'init', DEVICE: '', NODE: '', NAME: '/proc/1/cwd (readlink: Permission denied)' },
  ],
  [
    'ss',
    table,
    'State  Recv-Q Send-Q Local Address:Port  Peer Address:PortProcess\nLISTEN 0      128          0.0.0.0:2024       0.0.0.0:*          \n',
    { State: 'LISTEN', 'Local Address:Port': '0.0.0.0:2024', 'Peer Address:Port': '0.0.0.0:*', Process: '' },
  ],
  [
    'netstat',
    { ...table, skip: 1 },
    'Active Internet connections (only servers)\nProto Recv-Q Send-Q Local Address           Foreign Address         State       PID/Program name    \ntcp        0      0 0.0.0.0:2024            0.0.0.0:*               LISTEN      1/init              \n',
    { Proto: 'tcp', 'Local Address': '0.0.0.0:2024', State: 'LISTEN', 'PID/Program name': '1/init' },
  ],
  [
    'findmnt',
    table,
    'TARGET   SOURCE   FSTYPE   OPTIONS\n/        /dev/vda ext4     rw,relatime\n├─/proc  proc     proc     rw,relatime\n',
    { TARGET: '├─/proc', FSTYPE: 'proc' },
  ],
  [
    'swapon',
    table,
    'NAME      TYPE      SIZE USED PRIO\n/dev/sda2 partition   2G   0B   -2\n',
    { NAME: '/dev/sda2', SIZE: '2G', PRIO: '-2' },
  ],
  [
    'vmstat',
    { ...table, skip: 1 },
    'procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n12  0      0 11595316 293784 9962676    0    0  1095  5761 1422 3816 58 21 19  2  0\n',
    { r: '12', free: '11595316', cs: '3816', st: '0' },
  ],
  [
    'w',
    { ...table, skip: 2, columns: ['user', 'tty', 'from', 'login', 'idle', 'jcpu', 'pcpu', 'what'] },
    ' 03:36:01 up  4:27,  1 user,  load average: 10.94, 12.20, 11.33\nUSER     TTY      FROM             LOGIN@   IDLE   JCPU   PCPU WHAT\nada      pts/0    10.0.0.7         10:31    1.00s  0.03s  0.00s sh -c w\n',
    { user: 'ada', login: '10:31', what: 'sh -c w' },
  ],
  [
    'route',
    { ...table, skip: 1 },
    'Kernel IP routing table\nDestination     Gateway         Genmask         Flags Metric Ref    Use Iface\n0.0.0.0         192.0.2.1       0.0.0.0         UG    0      0        0 eth0\n',
    { Destination: '0.0.0.0', Flags: 'UG', Iface: 'eth0' },
  ],
  [
    'arp',
    table,
    'Address                  HWtype  HWaddress           Flags Mask            Iface\n192.0.2.1                ether   02:fc:00:00:00:05   C                     eth0\n',
    { Address: '192.0.2.1', 'Flags Mask': 'C', Iface: 'eth0' },
  ],
  [
    'systemctl',
    { ...table, until: '' },
    '  UNIT                 LOAD   ACTIVE SUB     DESCRIPTION\n  cron.service         loaded active running Regular background program processing daemon\n  proc-fs.automount    loaded active waiting Arbitrary Executable File Formats\n\nLOAD   = Reflects whether the unit definition was properly loaded.\n2 loaded units listed.\n',
    { UNIT: 'cron.service', SUB: 'running', DESCRIPTION: 'Regular background program processing daemon' },
  ],
  [
    'systemctl-lj',
    { ...table, until: '' },
    'JOB UNIT           TYPE  STATE  \n 12 cron.service   start running\n\n1 jobs listed.\n',
    { JOB: '12', STATE: 'running' },
  ],
  [
    'systemctl-ls',
    { ...table, until: '' },
    'LISTEN              UNIT                ACTIVATES\n/run/dbus/socket    dbus.socket         dbus.service\n\n1 sockets listed.\n',
    { UNIT: 'dbus.socket', ACTIVATES: 'dbus.service' },
  ],
  [
    'systemctl-luf',
    { ...table, until: '' },
    'UNIT FILE        STATE    PRESET\ncron.service     enabled  enabled\nrsync.service    disabled enabled\n\n2 unit files listed.\n',
    { 'UNIT FILE': 'rsync.service', STATE: 'disabled' },
  ],
  [
    'pip-list',
    table,
    'Package                Version\n---------------------- -----------\nannotated-types        0.7.0\n',
    { Package: 'annotated-types', Version: '0.7.0' },
  ],
  [
    'iostat',
    { ...table, skip: 5 },
    'Linux 6.1 (vm)  11/23/26  _x86_64_  (2 CPU)\n\navg-cpu:  %user   %nice %system %iowait  %steal   %idle\n           0.14    0.00    0.16    0.00    0.00   99.70\n\nDevice             tps    kB_read/s    kB_wrtn/s\nvda               1.02        10.61        23.23\n',
    { Device: 'vda', tps: '1.02', 'kB_wrtn/s': '23.23' },
  ],
  [
    'zpool-iostat',
    { ...table, skip: 3, columns: ['pool', 'alloc', 'free', 'reads', 'writes', 'read', 'write'] },
    '              capacity     operations     bandwidth \npool        alloc   free   read  write   read  write\n----------  -----  -----  -----  -----  -----  -----\ntank        1.2T   3.4T      5     17   120K   900K\n',
    { pool: 'tank', reads: '5', write: '900K' },
  ],
  [
    'ntpq',
    {
      ...table,
      skip: 2,
      columns: ['remote', 'refid', 'st', 't', 'when', 'poll', 'reach', 'delay', 'offset', 'jitter'],
    },
    '     remote           refid      st t when poll reach   delay   offset  jitter\n==============================================================================\n*192.0.2.9       .GPS.            1 u   33   64  377    0.514    0.012   0.004\n',
    { remote: '*192.0.2.9', jitter: '0.004' },
  ],
  [
    'proc-swaps',
    table,
    'Filename				Type		Size		Used		Priority\n/dev/sda2                               partition	2097148		0		-2\n',
    { Filename: '/dev/sda2', Priority: '-2' },
  ],
  [
    'proc-net-arp',
    { ...table, skip: 1, columns: ['address', 'type', 'flags', 'mac', 'mask', 'device'] },
    'IP address       HW type     Flags       HW address            Mask     Device\n192.0.2.1        0x1         0x2         02:fc:00:00:00:05     *        eth0\n',
    { mac: '02:fc:00:00:00:05', device: 'eth0' },
  ],
  [
    'proc-net-route',
    table,
    'Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT\neth0	00000000	010200C0	0003	0	0	0	00000000	0	0	0\n',
    { Iface: 'eth0', Gateway: '010200C0' },
  ],
  // Without a header: the columns are named.
  [
    'ls',
    {
      ...table,
      skip: 1,
      columns: ['mode', 'links', 'owner', 'group', 'size', 'month', 'day', 'time', 'name'],
    },
    'total 92\ndrwxr-xr-x   2 root root  4096 May  9  2025 my files\n',
    { mode: 'drwxr-xr-x', size: '4096', name: 'my files' },
  ],
  [
    'who',
    { ...table, columns: ['user', 'tty', 'date', 'rest'] },
    'ada      pts/0        2026-11-22 10:32 (10.0.0.7)\n',
    { user: 'ada', rest: '10:32 (10.0.0.7)' },
  ],
  [
    'dpkg-l',
    { ...table, skip: 5, columns: ['state', 'name', 'version', 'architecture', 'description'] },
    'Desired=Unknown/Install\n| Status=Not/Inst\n|/ Err?=(none)\n||/ Name           Version      Architecture Description\n+++-==============-============-============-=================\nii  bash           5.2.15-2+b13 amd64        GNU Bourne Again SHell\n',
    { state: 'ii', name: 'bash', description: 'GNU Bourne Again SHell' },
  ],
  [
    'wc',
    { ...table, columns: ['lines', 'words', 'bytes', 'file'] },
    '  28   38 1448 /etc/passwd\n',
    { lines: '28', file: '/etc/passwd' },
  ],
  [
    'cksum',
    { ...table, columns: ['sum', 'bytes', 'file'] },
    '2097259437 1448 /etc/my passwd\n',
    { sum: '2097259437', file: '/etc/my passwd' },
  ],
  [
    'hashsum',
    { ...table, columns: ['hash', 'file'] },
    '5b651b59  /etc/passwd\n',
    { hash: '5b651b59', file: '/etc/passwd' },
  ],
  [
    'du',
    { parse: 'tsv', columns: ['kib', 'folder'] },
    '180	/etc/apt\n8	/etc/my folder\n',
    { kib: '8', folder: '/etc/my folder' },
  ],
  [
    'git-ls-remote',
    { parse: 'tsv', columns: ['commit', 'ref'] },
    'f4157929	HEAD\nb8233bc9	refs/heads/main\n',
    { ref: 'refs/heads/main' },
  ],
  [
    'lsattr',
    { ...table, columns: ['attributes', 'file'] },
    '--------------e------- /etc/passwd\n',
    { file: '/etc/passwd' },
  ],
  [
    'file',
    { ...table, delimiter: ': ', columns: ['file', 'type'] },
    '/etc/passwd: ASCII text\n',
    { file: '/etc/passwd', type: 'ASCII text' },
  ],
  [
    'proc-loadavg',
    { ...table, columns: ['one', 'five', 'fifteen', 'tasks', 'last'] },
    '10.94 12.20 11.33 2/129 3611\n',
    { one: '10.94', tasks: '2/129' },
  ],
  ['proc-uptime', { ...table, columns: ['up', 'idle'] }, '46190.13 112312.44\n', { up: '46190.13' }],
  [
    'proc-modules',
    { ...table, columns: ['module', 'size', 'used', 'by', 'status', 'location'] },
    'binder_linux 142942 0 - Live 0xffffffffc0000000\n',
    { module: 'binder_linux', status: 'Live' },
  ],
  [
    'proc-partitions',
    { ...table, skip: 2, columns: ['major', 'minor', 'blocks', 'name'] },
    'major minor  #blocks  name\n\n 254        0  268435456 vda\n',
    { blocks: '268435456', name: 'vda' },
  ],
  [
    'proc-diskstats',
    { ...table, columns: ['major', 'minor', 'name', 'figures'] },
    ' 254       0 vda 31442 1022 3212 10231 1 2 3 4\n',
    { name: 'vda', figures: '31442 1022 3212 10231 1 2 3 4' },
  ],
  [
    'fstab',
    { ...table, columns: ['device', 'mount', 'type', 'options', 'dump', 'pass'] },
    '/dev/vda / ext4 errors=remount-ro 0 1\n',
    { mount: '/', pass: '1' },
  ],
  [
    'passwd',
    { ...table, delimiter: ':', columns: ['name', 'password', 'uid', 'gid', 'about', 'home', 'shell'] },
    'root:x:0:0:root:/root:/bin/bash\n_apt:x:100:65534::/nonexistent:/usr/sbin/nologin\n',
    { name: '_apt', about: '', shell: '/usr/sbin/nologin' },
  ],
  [
    'group',
    { ...table, delimiter: ':', columns: ['name', 'password', 'gid', 'members'] },
    'adm:x:4:ada,bob\n',
    { gid: '4', members: 'ada,bob' },
  ],
  [
    'shadow',
    {
      ...table,
      delimiter: ':',
      columns: ['name', 'hash', 'changed', 'min', 'max', 'warn', 'inactive', 'expires', 'more'],
    },
    'root:*:19700:0:99999:7:::\n',
    { name: 'root', max: '99999', expires: '' },
  ],
  [
    'pgpass',
    { ...table, delimiter: ':', columns: ['host', 'port', 'database', 'user', 'password'] },
    'db:5432:*:ada:secret\n',
    { host: 'db', user: 'ada' },
  ],
  ['csv', { parse: 'csv', delimiter: ';' }, 'name;note\ndb1;"a;b"\n', { name: 'db1', note: 'a;b' }],
  // Keys and values.
  ['env', kv, 'HOME=/root\nPATH=/bin:/usr/bin\n', { HOME: '/root', PATH: '/bin:/usr/bin' }],
  ['os-release', kv, 'NAME="Debian GNU/Linux"\nVERSION_ID="12"\n', { NAME: 'Debian GNU/Linux' }],
  [
    'lsb-release',
    kv,
    'Distributor ID:	Debian\nRelease:	12\n',
    { 'Distributor ID': 'Debian', Release: '12' },
  ],
  ['lscpu', kv, 'Architecture:            x86_64\nCPU(s):                  2\n', { 'CPU(s)': '2' }],
  [
    'sysctl',
    { ...kv, delimiter: ' = ' },
    'kernel.hostname = vm\nnet.ipv4.ip_local_port_range = 32768	60999\n',
    { 'kernel.hostname': 'vm' },
  ],
  [
    'chage',
    { ...kv, delimiter: ':' },
    'Last password change					: May 20, 2025\nPassword expires					: never\n',
    { 'Password expires': 'never' },
  ],
  [
    'timedatectl',
    kv,
    '               Local time: Mon 2026-11-23 03:36:02 UTC\n                Time zone: Etc/UTC (UTC, +0000)\n',
    { 'Time zone': 'Etc/UTC (UTC, +0000)' },
  ],
  [
    'tune2fs',
    { ...kv, skip: 1 },
    'tune2fs 1.47.0 (5-Feb-2023)\nFilesystem volume name:   <none>\nInode count:              16777216\n',
    { 'Inode count': '16777216' },
  ],
  ['udevadm', kv, 'DEVPATH=/devices/virtual\nSUBSYSTEM=block\n', { SUBSYSTEM: 'block' }],
  ['pip-show', kv, 'Name: requests\nVersion: 2.32.3\nRequires: certifi, idna\n', { Version: '2.32.3' }],
  [
    'rpm-qi',
    { ...kv, delimiter: ':' },
    'Name        : bash\nVersion     : 5.2.26\n',
    { Name: 'bash', Version: '5.2.26' },
  ],
  [
    'ufw-appinfo',
    { ...kv, until: '' },
    'Profile: OpenSSH\nTitle: Secure shell server\n\nPort:\n  22/tcp\n',
    { Title: 'Secure shell server' },
  ],
  ['jar-manifest', kv, 'Manifest-Version: 1.0\nMain-Class: app.Main\n', { 'Main-Class': 'app.Main' }],
  [
    'curl-head',
    { ...kv, skip: 1, until: '' },
    'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n',
    { 'Content-Type': 'text/html', 'Set-Cookie': ['a=1', 'b=2'] },
  ],
  [
    'nmcli',
    kv,
    'GENERAL.DEVICE:                         eth0\nGENERAL.MTU:                            1500\n',
    { 'GENERAL.MTU': '1500' },
  ],
  [
    'postconf',
    { ...kv, delimiter: ' = ' },
    'alias_database = hash:/etc/aliases\nmyhostname = vm\n',
    { alias_database: 'hash:/etc/aliases' },
  ],
  [
    'sshd-conf',
    { ...kv, delimiter: ' ' },
    'port 22\npermitrootlogin without-password\nacceptenv LANG\nacceptenv LC_*\n',
    { port: '22', acceptenv: ['LANG', 'LC_*'] },
  ],
  [
    'resolve-conf',
    { ...kv, delimiter: ' ' },
    '# written by dhcp\nnameserver 192.0.2.1\nsearch example.com\n',
    { nameserver: '192.0.2.1' },
  ],
  [
    'proc-meminfo',
    kv,
    'MemTotal:       24684096 kB\nMemFree:        11611300 kB\n',
    { MemFree: '11611300 kB' },
  ],
  ['proc-vmstat', { ...kv, delimiter: ' ' }, 'nr_free_pages 2902825\nnr_dirty 12\n', { nr_dirty: '12' }],
  ['proc-pid-io', kv, 'rchar: 4292\nwchar: 0\n', { rchar: '4292' }],
  ['proc-pid-status', kv, 'Name:	bash\nState:	S (sleeping)\n', { State: 'S (sleeping)' }],
  [
    'ini',
    { parse: 'ini' },
    '; my.cnf\n[mysqld]\nport = 3306\nskip-networking\n',
    { mysqld: { port: '3306', 'skip-networking': null } },
  ],
  ['yaml', { parse: 'yaml' }, 'replicas: 3\n', { replicas: 3 }],
  [
    'uname',
    { parse: 'regex', pattern: '^(?<kernel>\\S+) (?<node>\\S+) (?<release>\\S+)' },
    'Linux vm 6.18.44 #1 SMP x86_64 GNU/Linux\n',
    { node: 'vm', release: '6.18.44' },
  ],
  [
    'mount',
    { parse: 'regex', pattern: '^(?<device>.+) on (?<path>.+) type (?<type>\\S+) \\((?<options>.*)\\)$' },
    'proc on /proc type proc (rw,relatime)\n',
    { path: '/proc', options: 'rw,relatime' },
  ],
];

describe('kinds of output that are read with one line', () => {
  test.each(SAMPLES)('%s', (_kind, reading, text, part) => {
    const parsed = parseOutput(reading, text);
    if (parsed.kind === 'failed') throw new Error(parsed.reason);
    const data: unknown = JSON.parse(parsed.json);
    if (Array.isArray(data)) expect(data).toContainEqual(expect.objectContaining(part));
    else expect(data).toMatchObject(part);
  });

  test('include at least sixty that jc has', () => {
    expect(new Set(SAMPLES.map(([kind]) => kind)).size).toBeGreaterThanOrEqual(60);
  });
});

describe('where the shape of a table is in doubt, it is an error', () => {
  const doubts: readonly (readonly [what: string, text: string, problem: RegExp])[] = [
    ['no header: numbers', '4096 May 9\n4096 May 10\n', /line 1: "4096" reads like a value/],
    ['no header: a path', '/dev/vda ext4\n/dev/vdb xfs\n', /line 1: "\/dev\/vda" reads like a value/],
    ['no header: a record of colons', 'root:x:0:0:root:/root:/bin/bash\n', /line 1: .* reads like a value/],
    ['a total in front', 'total 92\ndrwxr-xr-x 2 root\n', /line 1: "92" reads like a value.*skip/],
    [
      'a title in front',
      'Active Internet connections (only servers)\nProto Recv-Q Send-Q Local Address           Foreign Address         State      \ntcp        0      0 0.0.0.0:2024            0.0.0.0:*               LISTEN     \n',
      /line 1: it reads like a title/,
    ],
    [
      'the dot of a failed unit, which stands in no column',
      '  UNIT          LOAD   ACTIVE SUB     DESCRIPTION\n  cron.service  loaded active running Regular background program\n● nginx.service loaded failed failed  A high performance web server\n',
      /line 3: 10 values for the 5 columns .* cannot be said which is whose/,
    ],
    [
      'a legend behind a blank line',
      'UNIT  LOAD\ncron  loaded\n\nLOAD  = Reflects whether the unit was loaded.\nSUB   = The unit\n',
      /line 4: after the blank line comes no table; "until: ''"/,
    ],
    [
      'names above a blank line',
      'major minor  #blocks  name\n\n 254        0  268435456 vda\n',
      /line 3: "254" reads like a value/,
    ],
    [
      'a value in no column',
      'NAME    SIZE   FREE\ntank           x   1 2\npool   1   2\n',
      /line 3: 3 values .* cannot be said which is whose/,
    ],
    ['two values missing without a layout', 'A B C D\n1 2 3 4\n1 2\n', /line 3: 2 values for the 4 columns/],
  ];
  test.each(doubts)('%s', (_what, text, problem) => {
    const parsed = parseOutput({ parse: 'table' }, text);
    expect(parsed).toMatchObject({ kind: 'failed', reason: expect.stringMatching(problem) });
  });

  test('no value stands under the name of another: the first column of iostat is empty', () => {
    const text =
      'avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n           0.14    0.00    0.16    0.00    0.00   99.70\n';
    expect(parseOutput({ parse: 'table' }, text)).toEqual({
      kind: 'parsed',
      json: '[{"avg-cpu:":"","%user":"0.14","%nice":"0.00","%system":"0.16","%iowait":"0.00","%steal":"0.00","%idle":"99.70"}]',
    });
  });
});
