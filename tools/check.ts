// All static checks, in one run; every one reports before the first failure ends it (`npm run check`).
const CHECKS: readonly (readonly [name: string, command: readonly string[]])[] = [
  ['types', ['node_modules/.bin/tsc', '-p', '.']],
  ['core knows no runtime', ['node_modules/.bin/tsc', '-p', 'core']],
  ['types of the dashboard', ['node_modules/.bin/tsc', '-p', 'web']],
  ['format and lint', ['node_modules/.bin/biome', 'ci', '--colors=off', '--error-on-warnings', '.']],
  ['promises', ['node_modules/.bin/oxlint', '--type-aware', '--deny-warnings', '.']],
  ['unused', [process.execPath, 'node_modules/.bin/knip-bun', '--no-progress']],
  [
    'used only by tests',
    [
      process.execPath,
      'node_modules/.bin/knip-bun',
      '--no-progress',
      '--production',
      '--include=files,exports,types',
    ],
  ],
  ['imports', [process.execPath, 'tools/check-imports.ts']],
  ['links', [process.execPath, 'tools/check-links.ts']],
  ['sizes', [process.execPath, 'tools/check-sizes.ts']],
  ['generated documents', [process.execPath, 'tools/generate-docs.ts', '--check']],
];

/** Most checks use one core. */
const CONCURRENCY = 2;

const failed: string[] = [];
const waiting = CHECKS.values();
await Promise.all(
  Array.from({ length: CONCURRENCY }, async () => {
    for (const [name, command] of waiting) {
      const child = Bun.spawn([...command], { env: process.env, stdout: 'pipe', stderr: 'pipe' });
      const [stdout, stderr] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      if ((await child.exited) === 0) {
        console.log(`ok    ${name}`);
        continue;
      }
      failed.push(name);
      console.log(`FAIL  ${name}\n${stdout}${stderr}`);
    }
  }),
);
if (failed.length > 0) {
  console.log(`${failed.length} of ${CHECKS.length} checks failed: ${failed.join(', ')}`);
  process.exit(1);
}
