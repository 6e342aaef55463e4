import { expect } from 'bun:test';
import type { TemplateCases } from '../template-case.ts';
import { COMMIT_ID, DATE } from './repository.ts';

const CHECKOUT = { APP_DIR: 'FOLDER/app' };
const RELEASES = `mkdir -p app/releases/r1 app/releases/r2
touch -t 202601010000 app/releases/r1
ln -s releases/r2 app/current`;

export const DEPLOYMENT: TemplateCases = {
  deploy: [
    { env: CHECKOUT, repository: true, output: /live: \w+ two\nmigrated\n$/, after: 'test -f app/two.txt' },
    {
      env: CHECKOUT,
      repository: true,
      args: { branch: 'feature/x' },
      output: /live: \w+ three\n/,
      after: 'test -f app/three.txt',
    },
    { env: CHECKOUT, repository: true, args: { branch: 'gone' }, exitCode: 128, output: /gone/ },
  ],
  'deployed-commit': [
    {
      env: CHECKOUT,
      repository: true,
      data: { commit: COMMIT_ID, author: 'Ada', date: DATE, subject: 'one | "quoted"' },
    },
  ],
  releases: [
    {
      env: CHECKOUT,
      before: RELEASES,
      data: [
        { release: 'r2', state: 'live' },
        { release: 'r1', state: 'kept' },
      ],
    },
  ],
  'roll-back': [
    {
      env: CHECKOUT,
      before: RELEASES,
      args: { release: 'r1' },
      output: 'live: releases/r1\n',
      after: '[ "$(readlink app/current)" = releases/r1 ] && [ ! -e app/releases/r2/r1 ]',
    },
    {
      env: CHECKOUT,
      before: RELEASES,
      args: { release: 'r3' },
      exitCode: 1,
      output: 'no such release: r3\n',
      after: '[ "$(readlink app/current)" = releases/r2 ]',
    },
  ],
  'service-status': [
    { args: { service: 'nginx' }, data: expect.objectContaining({ ActiveState: 'active', MainPID: '812' }) },
  ],
  'service-log': [{ args: { service: 'nginx', lines: '5' }, output: /Started nginx/ }],
  'service-restart': [{ args: { service: 'nginx' }, output: 'active\n' }],
  'compose-services': [
    {
      env: { PROJECT_DIR: 'FOLDER' },
      before: 'touch compose.yaml',
      data: [{ service: 'web', image: 'app:3', state: 'running', health: 'healthy', since: 'Up 5 minutes' }],
    },
    { env: { PROJECT_DIR: 'FOLDER/gone' }, exitCode: 2, output: /gone/ },
  ],
  'compose-deploy': [
    {
      env: { PROJECT_DIR: 'FOLDER' },
      before: 'touch compose.yaml',
      output: /web-1 {2}Healthy\napp-web-1/,
    },
  ],
  'k8s-deployments': [
    { args: { namespace: 'staging' }, data: [{ name: 'web', wanted: 3, ready: 0, image: 'web:7' }] },
  ],
  'k8s-restart': [{ args: { deployment: 'web' }, output: /restarted\n.*rolled out\n$/ }],
  'k8s-undo': [{ args: { deployment: 'web' }, output: /rolled back\n.*rolled out\n$/ }],
  'site-changes': [
    {
      data: [
        { change: '>f.st......', file: 'index.html' },
        { change: '*deleting', file: 'old page.html' },
      ],
    },
  ],
  'site-publish': [{ output: '>f.st...... index.html\n' }],
};
