// Takes a picture of every page of the dashboard, light and dark, at 1280, 1920 and on a phone: `bun tools/screenshots.ts
// [name…]`, and of dialogs. At 1280 a picture is as high as its page. They are in test/output/screenshots; with names, those
// pictures alone whose name (`now-phone-dark`) contains one.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readHubConfig } from '@svc/hub/config';
import { type RunningHub, startHub } from '@svc/hub/main';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium } from '../test/browser/chromium.ts';
import { postForm } from '../test/forms.ts';
import { startSvc } from '../test/program.ts';
import { linkIn } from '../web/outbox/link-in.ts';
import { buildWeb } from './web/build.ts';

const PICTURES = join(import.meta.dirname, '../test/output/screenshots');
const SIZES = {
  desk: { width: 1280, height: 800 },
  wide: { width: 1920, height: 1080 },
  phone: { width: 390, height: 844 },
} as const;

/** Opens a dialog or menu of a page. */
const LAYERS: Readonly<Record<string, readonly [path: string, open: (page: Page) => Promise<void>]>> = {
  palette: ['', (page) => page.keyboard.press('Control+k')],
  shortcuts: ['', (page) => page.keyboard.press('?')],
  account: ['', press(/^Account/)],
  'dialog-approve': ['/approvals', press('Approve…')],
  'dialog-api-key': ['/api-keys', press('Create API key')],
  'dialog-client': ['/api-keys', press('Connect an AI client')],
  'dialog-machine': ['/agents', press('Connect a machine')],
  'dialog-agent-token': ['/agents', press('Create agent token')],
  'dialog-alert': ['/alerts', press('Create alert rule')],
  'dialog-secret': ['/secrets', press('Create secret')],
  'dialog-revoke': ['/api-keys', press('Revoke key ci')],
};

const CONFIG = `version: 1
endpoints:
  - name: hello
    description: Says hello.
    command: echo "Hello, {{name}}!"
    args: [{ name: name, default: world }]
  - name: deploy
    description: Rolls out a version to one region.
    command: |
      set -e
      echo "deploying {{version}} to {{region}}"
      for i in 1 2 3; do printf '\\033[32m✔\\033[0m replica %s is ready\\n' "$i"; done
    args:
      - { name: version, required: true, description: A tag }
      - { name: region, choices: [eu-central, us-east], default: eu-central }
    approval_required: true
    approvers: [owner]
  - name: backup
    description: Copies the database to the archive.
    command: for i in 1 2 3 4 5; do echo "table $i copied"; done
    schedule: "0 3 * * *"
  - name: flaky-sync
    description: Fetches orders from the shop.
    command: echo "503 from shop.example.com" >&2; exit 1
  - name: watch-logs
    description: Follows the log of the web server.
    command: i=0; while true; do i=$((i+1)); echo "GET /orders/$i 200 12 ms"; sleep 0.3; done
    timeout: 600
  - name: report
    description: Disk usage as a table.
    command: df -P
    transform: { parse: table }
pipelines:
  - slug: release
    description: Builds, tests, and deploys what passed.
    tags: [weekly]
    nodes:
      - { id: build, endpoint: hello, args: { name: build } }
      - { id: test, endpoint: hello, args: { name: test }, needs: [build] }
      - { id: sync, endpoint: flaky-sync, needs: [build], on_failure: continue }
      - { id: report, endpoint: report, needs: [test, sync] }
`;

interface Scene {
  readonly hub: RunningHub;
  readonly browser: Browser;
  readonly cookie: { readonly name: string; readonly value: string; readonly url: string };
  readonly approvalUrl: string;
  readonly joinUrl: string;
}

await buildWeb();
await mkdir(PICTURES, { recursive: true });
const folder = await mkdtemp(join(tmpdir(), 'svc-pictures-'));
const hub = await startHub({
  config: readHubConfig({
    SVC_DATA_DIR: join(folder, 'hub'),
    SVC_PORT: '0',
    SVC_OPERATORS: 'operator@localhost',
    SVC_RATE_LIMITS: 'off',
  }),
  version: '0.0.0',
  log: { write: () => {} },
});
const { signInUrl, accessToken, apiKey, agentToken, username } = await hub.firstRun();
await Bun.write(join(folder, 'svc.yaml'), CONFIG);
const agent = startSvc(['agent', '--state-dir', join(folder, 'agent')], {
  cwd: folder,
  env: { SVC_TOKEN: agentToken, SVC_BASE_URL: hub.hubUrl },
});
const browser = await launchChromium();
try {
  await until(async () => (await manage<{ items: unknown[] }>('/endpoints')).items.length >= 6);
  const { ids, ...urls } = await fill();
  const [name = '', value = ''] = sessionOf(await postForm(signInUrl)).split('=');
  await take({ hub, browser, cookie: { name, value, url: hub.hubUrl }, ...urls }, ids);
} finally {
  await browser.close();
  agent.kill();
  await agent.exited;
  await hub.stop({ graceMs: 0 });
  await rm(folder, { recursive: true, force: true });
}

function sessionOf(response: Response): string {
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
}

async function manage<Answer>(path: string, method = 'GET', body?: object): Promise<Answer> {
  const response = await fetch(`${hub.hubUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  // Some answers have no body.
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}

function call(slug: string, body: object = {}): Promise<Response> {
  return fetch(`${hub.baseUrl}/v1/${username}/${slug}`, {
    method: 'POST',
    headers: { 'X-API-Key': apiKey, accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await Bun.sleep(100);
}

/** Something on every page. */
async function fill() {
  for (const name of ['world', 'Ada', 'Grace', 'Lin']) await call('hello', { name });
  for (const slug of ['backup', 'report', 'flaky-sync', 'flaky-sync', 'backup']) await call(slug);
  const pending = (await (await call('deploy', { version: 'v2.4.1' })).json()) as { approve_url: string };
  await manage('/secrets/DEPLOY_TOKEN', 'PUT', { value: 'correct horse' });
  await manage('/api-keys', 'POST', { name: 'ci', endpoints: ['hello'] });
  await manage('/team/invite', 'POST', { email: 'lin@example.com', role: 'member' });
  await manage('/alerts', 'POST', {
    name: 'on call',
    channel: 'webhook',
    target: 'https://hooks.example.com/x',
    events: ['execution.failed', 'schedule.missed'],
  });
  await manage('/endpoints', 'POST', { name: 'cleanup', command: 'echo one\necho two' });
  await manage('/endpoints/cleanup', 'PATCH', { command: 'echo one\necho 2', version: 1 });
  const { run_id: run } = await manage<{ run_id: string }>('/pipeline-runs', 'POST', {
    pipeline: 'release',
  });
  await until(async () => {
    const { status } = await manage<{ status: string }>(`/pipeline-runs/${run}`);
    return status !== 'running' && status !== 'queued';
  });
  const { execution_id: running } = await manage<{ execution_id: string }>('/executions', 'POST', {
    endpoint: 'watch-logs',
    args: {},
  });
  const { items } = await manage<{ items: { endpoint: string; execution_id: string }[] }>('/executions');
  const mails = await manage<{ items: { text: string }[] }>('/outbox');
  const idOf = (slug: string) => items.find(({ endpoint }) => endpoint === slug)?.execution_id ?? '';
  return {
    ids: { running, run, table: idOf('report'), failed: idOf('flaky-sync') },
    approvalUrl: pending.approve_url,
    joinUrl: mails.items.map(({ text }) => linkIn(text)).find((link) => link?.includes('/join/')) ?? '',
  };
}

type Ids = Awaited<ReturnType<typeof fill>>['ids'];

/** Every page by the name of its picture. */
function pages({ running, run, table, failed }: Ids): Readonly<Record<string, string>> {
  return {
    now: '/',
    endpoints: '/endpoints',
    'endpoint-new': '/endpoints/new',
    endpoint: '/endpoints/deploy',
    'endpoint-history': '/endpoints/hello?tab=history',
    'endpoint-schedule': '/endpoints/backup?tab=schedule',
    'endpoint-versions': '/endpoints/cleanup?tab=versions',
    'endpoint-settings': '/endpoints/cleanup?tab=settings',
    executions: '/executions',
    'execution-running': `/executions/${running}`,
    'execution-table': `/executions/${table}`,
    'execution-failed': `/executions/${failed}`,
    pipelines: '/pipelines',
    'pipeline-new': '/pipelines/new',
    pipeline: '/pipelines/release',
    'pipeline-run': `/pipeline-runs/${run}`,
    live: '/live',
    approvals: '/approvals',
    schedules: '/schedules',
    agents: '/agents',
    secrets: '/secrets',
    'api-keys': '/api-keys',
    alerts: '/alerts',
    templates: '/templates',
    team: '/team',
    usage: '/usage',
    audit: '/audit',
    outbox: '/outbox',
    settings: '/settings',
    'not-found': '/nowhere',
  };
}

function press(name: string | RegExp) {
  return (page: Page) => page.getByRole('button', { name }).first().click();
}

async function take({ hub: { hubUrl }, cookie, approvalUrl, joinUrl }: Scene, ids: Ids): Promise<void> {
  const wanted = process.argv.slice(2);
  for (const [size, viewport] of Object.entries(SIZES))
    for (const theme of ['light', 'dark'] as const) {
      const isPhone = size === 'phone';
      const context = await browser.newContext({
        viewport,
        colorScheme: theme,
        reducedMotion: 'reduce',
        isMobile: isPhone,
        hasTouch: isPhone,
      });
      const shoot = async (page: string, url: string, open?: (page: Page) => Promise<void>) => {
        const name = `${page}-${size}-${theme}`;
        if (wanted.length === 0 || wanted.some((one) => name.includes(one)))
          await picture(context, name, url, { open, isWhole: size === 'desk' });
      };
      await shoot('sign-in', `${hubUrl}/login`);
      await shoot('approve', approvalUrl);
      await shoot('join', joinUrl);
      await context.addCookies([cookie]);
      for (const [name, path] of Object.entries(pages(ids)))
        await shoot(name, `${hubUrl}/dashboard${path === '/' ? '' : path}`);
      if (size !== 'wide')
        for (const [name, [path, open]] of Object.entries(LAYERS))
          await shoot(name, `${hubUrl}/dashboard${path}`, open);
      await context.close();
    }
}

/** A picture of the whole page would cut what sticks to the edges of the screen. */
async function fitViewport(page: Page): Promise<void> {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width: SIZES.desk.width, height: Math.max(height, SIZES.desk.height) });
}

interface Picture {
  /** Undefined: the page itself. */
  readonly open: ((page: Page) => Promise<void>) | undefined;
  /** As high as the page, not as the screen. */
  readonly isWhole: boolean;
}

async function picture(
  context: BrowserContext,
  name: string,
  url: string,
  { open, isWhole }: Picture,
): Promise<void> {
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('h1').first().waitFor();
  await page.locator('main [role="status"]:has(.sr-only)').first().waitFor({ state: 'detached' });
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  await open?.(page);
  // Parts that are drawn later, such as a graph that is laid out.
  await page.waitForTimeout(400);
  if (isWhole && open === undefined) await fitViewport(page);
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  await page.close();
  process.stdout.write(`${name}\n`);
}
