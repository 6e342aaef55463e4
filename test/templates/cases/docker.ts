import { expect } from 'bun:test';
import type { TemplateCases } from '../template-case.ts';

const WEB = { container: 'web' };

export const DOCKER: TemplateCases = {
  containers: [
    {
      data: [
        {
          id: '3f4e1b2a9c10',
          name: 'db',
          image: 'postgres:17',
          state: 'running',
          status: 'Up 3 days',
          ports: '5432/tcp',
        },
        expect.objectContaining({ name: 'web', state: 'exited' }),
      ],
    },
  ],
  'containers-table': [{ data: [expect.objectContaining({ IMAGE: 'postgres:17', NAMES: 'db' })] }],
  container: [
    {
      args: WEB,
      data: {
        id: '9a0c',
        name: '/web',
        image: 'nginx:1.29',
        state: { Status: 'exited' },
        restarts: 2,
        mounts: [],
      },
    },
  ],
  'docker-logs': [{ args: WEB, output: /Z ready\n$/ }],
  'docker-log-search': [
    { args: { ...WEB, text: 'a.b*]' }, data: [expect.stringContaining('[a.b*]')] },
    { args: { ...WEB, text: 'nowhere' }, data: [] },
    { args: { container: 'gone', text: 'x' }, exitCode: 1, output: 'Error: No such container: gone\n' },
  ],
  'docker-log-follow': [{ args: WEB, output: 'listening\n', endless: true }],
  'container-restart': [{ args: WEB, output: 'web\n/web running\n' }],
  'container-stop': [{ args: WEB, output: 'web\n' }],
  'container-start': [{ args: WEB, output: 'web\n' }],
  'docker-disk': [
    {
      data: [expect.objectContaining({ TYPE: 'Images' }), expect.objectContaining({ TYPE: 'Local Volumes' })],
    },
  ],
  'docker-prune': [{ output: /reclaimed/ }],
  'docker-stats': [
    {
      data: [
        { name: 'db', cpu_percent: 1.25, memory_percent: 3.4, memory: '70MiB / 2GiB', network: '1kB / 2kB' },
      ],
    },
  ],
  'docker-top': [{ args: WEB, data: [{ PID: '4711', USER: 'root', COMMAND: 'nginx: master process' }] }],
  images: [{ data: [{ image: 'nginx:1.29', id: 'a1b2c3', size: '192MB', created: '2 weeks ago' }] }],
  'image-pull': [{ args: { image: 'nginx:1.29' }, output: 'docker.io/library/nginx:1.29\n' }],
};
