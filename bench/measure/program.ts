/** Runs a program to its end and answers with what it printed; one that fails is an error with what it said. */
export async function output(argv: readonly string[]): Promise<string> {
  const child = Bun.spawn([...argv], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (child.exitCode !== 0) throw new Error(`${argv[0]} ended with ${child.exitCode}: ${stderr.trim()}`);
  return stdout;
}
