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

const failed: string[] = [];
for (const [name, command] of CHECKS) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { env: process.env });
  if (exitCode === 0) {
    console.log(`ok    ${name}`);
    continue;
  }
  failed.push(name);
  console.log(`FAIL  ${name}\n${stdout}${stderr}`);
}
if (failed.length > 0) {
  console.log(`${failed.length} of ${CHECKS.length} checks failed: ${failed.join(', ')}`);
  process.exit(1);
}
