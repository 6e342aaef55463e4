// `npm run test:beside -- <"later" or a commit> <test files>`: their hubs are of this version and of that one (test/beside/).
import { makeVersion } from '../test/beside/adjacent-versions.ts';
import { temporaryFolder } from '../test/temporary-folder.ts';

const [version, ...files] = process.argv.slice(2);
if (version === undefined) throw new Error('which version? "later", or a commit');
const folder = await temporaryFolder();
try {
  if (!(await makeVersion(version, folder.path))) throw new Error(`the history has no commit ${version}`);
  const child = Bun.spawn([process.execPath, 'test', '--timeout=120000', ...files], {
    env: { ...process.env, SVC_TEST_BESIDE: folder.path },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.exitCode = await child.exited;
} finally {
  await folder[Symbol.asyncDispose]();
}
