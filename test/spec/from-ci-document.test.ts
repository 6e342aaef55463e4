// docs/guides/from-ci.md: each snippet runs as it is printed, against a real hub and a real agent.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

const text = await Bun.file(new URL('../../docs/guides/from-ci.md', import.meta.url)).text();
const ARGS = [{ name: 'version', type: 'text' }];

let folder: TemporaryFolder;
let world: HubWorld;
let agent: RealAgent;
beforeAll(async () => {
  folder = await temporaryFolder();
  world = await hubWorld();
  // The code with which the commands end is in a file, as a deploy fails for reasons of its own.
  const command = (name: string) =>
    `echo ${name} | tee -a ${folder.path}/ran; exit $(cat ${folder.path}/code)`;
  agent = await realAgent(world, [
    { name: 'deploy', command: command('deploy'), args: ARGS },
    { name: 'migrate', command: command('migrate') },
  ]);
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const blocks = (language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, block = '']) => block,
  );
const yaml = (part: string) => {
  const found = blocks('yaml').find((block) => block.includes(part));
  return Bun.YAML.parse(found ?? '') as Record<string, never>;
};
const shell = (part: string) => blocks('sh').find((block) => block.includes(part)) ?? '';

/** The shell lines of each system, as its runner would start them. */
function snippets(): Record<string, string> {
  const github = yaml('runs-on') as unknown as { jobs: { deploy: { steps: { run: string }[] } } };
  const gitlab = yaml('curlimages') as unknown as { deploy: { script: string[] } };
  const [, jenkins = ''] = /sh '''\n([\s\S]*?)'''/.exec(blocks('groovy')[0] ?? '') ?? [];
  return {
    'GitHub Actions': github.jobs.deploy.steps.map(({ run }) => run).join('\n'),
    'GitLab CI': gitlab.deploy.script.join('\n'),
    // Groovy reads the backslashes of a text in ''' first.
    Jenkins: jenkins.replaceAll(/\\([\\"])/g, '$1').replaceAll(/\\\n/g, ' '),
    curl: shell('--json \'{"version": "1.4.0"}\''),
    'curl with tries': shell('--retry'),
    'a long command': shell('respond-async'),
  };
}

/** Runs a snippet as it is, but for the username; the command ends with this code. */
async function run(script: string, code: number, runId: string) {
  await Bun.write(join(folder.path, 'code'), String(code));
  const { start, hub } = world;
  const child = Bun.spawn(['sh', '-e', '-c', script.replaceAll('/v1/ada/', `/v1/${start.username}/`)], {
    cwd: folder.path,
    env: {
      PATH: process.env.PATH,
      SVC_BASE_URL: hub.baseUrl,
      SVC_API_KEY: start.apiKey,
      SVC_ACCESS_TOKEN: start.accessToken,
      CI_RUN: runId,
      ...{ GITHUB_RUN_ID: runId, GITHUB_RUN_ATTEMPT: '1', GITHUB_SHA: 'ab12' },
      ...{ CI_JOB_ID: `gitlab-${runId}`, CI_COMMIT_SHA: 'ab12' },
      ...{ BUILD_TAG: `jenkins-${runId}`, GIT_COMMIT: 'ab12' },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout = await new Response(child.stdout).text();
  return { exitCode: await child.exited, stdout, stderr: await new Response(child.stderr).text() };
}

const ran = async () => {
  const file = Bun.file(join(folder.path, 'ran'));
  return (await file.exists()) ? (await file.text()).split('\n').length - 1 : 0;
};

test.each(Object.keys(snippets()))(
  '%s is green when the command succeeds, and red when it fails',
  async (name) => {
    const script = snippets()[name] ?? '';
    expect(script).toContain('curl --fail-with-body');
    const before = await ran();
    const good = await run(script, 0, `${name.replaceAll(' ', '-')}-good`);
    expect(good).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"exit_code":0') });
    const bad = await run(script, 3, `${name.replaceAll(' ', '-')}-bad`);
    expect(bad.exitCode).toBe(name === 'a long command' ? 3 : 22);
    expect(bad.stdout).toContain('"exit_code":3');
    // Each call ran once, tries included.
    expect((await ran()) - before).toBe(2);
  },
);

test('the key of a job may call the one endpoint', async () => {
  const made = await run(shell('/api-keys'), 0, 'key');
  expect(made.exitCode).toBe(0);
  const { token } = JSON.parse(made.stdout) as { token: string };
  const status = async (slug: string) => {
    const headers = { 'x-api-key': token, accept: 'application/json', 'content-type': 'application/json' };
    return (await fetch(world.urlOf(slug), { method: 'POST', headers, body: '{}' })).status;
  };
  expect([await status('deploy'), await status('migrate')]).toEqual([200, 404]);
});
