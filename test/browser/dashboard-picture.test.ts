// The pictures that the README opens with: a command that runs. With SVC_PICTURES=1 they go to docs/images.
import { expect, test } from 'bun:test';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { closeBrowserAtEnd, dashboardWorld, describeInBrowser, THEMES, viewer } from './dashboard.ts';

const ROOT = join(import.meta.dir, '../..');
const IMAGES = process.env.SVC_PICTURES ? 'docs/images' : 'test/output/dashboard';

const ENDPOINTS = [
  {
    name: 'release',
    description: 'Builds a version, tests it and ships it',
    command: './release.sh --to {{target}} --ref {{ref}}',
    args: [
      { name: 'target', type: 'enum', choices: ['staging', 'production'], required: true },
      { name: 'ref', required: true, description: 'A tag or a branch' },
    ],
    timeout: 900,
  },
  { name: 'backup', command: './backup.sh' },
];
const [RED, GREEN, YELLOW, BLUE, DIM, OFF] = [31, 32, 33, 34, 2, 0].map((code) => `\u001b[${code}m`);
const OUTPUT = [
  `${BLUE}==>${OFF} fetch v4.2.0`,
  'HEAD is now at 9c1f2ab Answer in the language that was asked for',
  `${BLUE}==>${OFF} build`,
  `${DIM}web/   312 modules, 188 KB${OFF}`,
  `${DIM}api/   41 s${OFF}`,
  `${BLUE}==>${OFF} test`,
  ...['login', 'cart', 'checkout', 'search'].map(
    (name, at) => `${GREEN}✓${OFF} ${name} ${DIM}(${(at + 2) * 113} ms)${OFF}`,
  ),
  `${YELLOW}! retried once: payment provider answered 503${OFF}`,
  `${GREEN}✓${OFF} payment ${DIM}(2210 ms)${OFF}`,
  `${RED}-${OFF} 1 skipped: needs a printer`,
  `${BLUE}==>${OFF} ship to staging`,
  '1 of 3 machines done',
  '2 of 3 machines done',
];

closeBrowserAtEnd();

describeInBrowser('the picture', () => {
  test('of a command that runs is made in both themes, and the README shows it', async () => {
    await using world = await dashboardWorld();
    await using agent = await world.agent({ endpoints: ENDPOINTS });
    mkdirSync(join(ROOT, IMAGES), { recursive: true });
    for (const theme of THEMES) {
      await using owner = await viewer(world, { theme, viewport: { width: 1200, height: 760 } });
      const { page } = owner;
      await owner.open('/endpoints/release');
      await page.getByRole('combobox', { name: /target/ }).selectOption({ label: 'staging' });
      await page.getByLabel(/^ref/).fill('v4.2.0');
      await page.getByRole('button', { name: 'Run release' }).click();
      const { execution_id: id } = await agent.receive('run');
      agent.output(id, 1, `${OUTPUT.join('\n')}\n`);
      await page.getByText('2 of 3 machines done').waitFor();
      await page.evaluate(() => document.fonts.ready.then(() => scrollTo(0, 0)));
      await page.screenshot({ path: join(ROOT, IMAGES, `run-${theme}.png`) });
      agent.end(id, 1);
      await page.getByText('Succeeded').first().waitFor();
    }
    const readme = await Bun.file(join(ROOT, 'README.md')).text();
    for (const theme of THEMES) {
      expect(readme).toContain(`docs/images/run-${theme}.png`);
      expect(existsSync(join(ROOT, `docs/images/run-${theme}.png`))).toBe(true);
    }
  });
});
