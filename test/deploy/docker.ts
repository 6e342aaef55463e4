import { join } from 'node:path';
import { type DockerDaemon, dockerDaemon } from '../containers/docker-daemon.ts';
import { testImage } from '../containers/machine.ts';
import { Lines } from '../lines.ts';
import type { ComposeService } from './compose-schema.ts';

const ROOT = join(import.meta.dir, '..', '..');

/** The program `docker`, speaking to an engine of the test's own. There is no registry. */
export class Docker implements AsyncDisposable {
  readonly #daemon: DockerDaemon;

  static async start(): Promise<Docker> {
    return new Docker(await dockerDaemon());
  }

  private constructor(daemon: DockerDaemon) {
    this.#daemon = daemon;
  }

  /** Its standard output; refuses with what it says when it fails. */
  async run(...args: readonly string[]): Promise<string> {
    const child = this.#spawn(args);
    const [stdout, stderr, exitCode] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    if (exitCode !== 0)
      throw new Error(`docker ${args.join(' ')}: exit code ${exitCode}\n${stdout}${stderr}`);
    return stdout.trim();
  }

  /** Makes a Debian that stands for an image of a registry. */
  async importDebian(tag: string): Promise<void> {
    await this.run('import', join(await testImage(), 'image.tar'), tag);
  }

  /** Builds a stage of `deploy/Dockerfile` from the repository as it is. */
  async build(target: string, tag: string): Promise<void> {
    const where = ['--file', join(ROOT, 'deploy', 'Dockerfile'), '--network', 'none'];
    await this.run('build', ...where, '--target', target, '--tag', tag, ROOT);
  }

  /** Settles when a line of its log matches. */
  async logged(container: string, pattern: RegExp): Promise<void> {
    const following = this.#spawn(['logs', '--follow', container]);
    try {
      await new Lines(following.stderr).find(pattern);
    } finally {
      following.kill();
    }
  }

  #spawn(args: readonly string[]) {
    // Building images elsewhere needs a plugin, which is not always installed.
    const env = { ...process.env, DOCKER_HOST: this.#daemon.dockerHost, DOCKER_BUILDKIT: '0' };
    return Bun.spawn(['docker', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#daemon[Symbol.asyncDispose]();
  }
}

/**
 * The options of `docker run` for a service of a Compose file, without its networks, ports, and limits above those of this
 * machine.
 */
export function runOptions(service: ComposeService): string[] {
  const each = (option: string, values: readonly string[] = []) => values.flatMap((value) => [option, value]);
  const environment = Object.entries(service.environment).map(([name, value]) => `${name}=${value}`);
  return [
    ...each('--env', environment),
    ...each('--volume', service.volumes),
    ...each('--tmpfs', service.tmpfs),
    ...each('--cap-drop', service.cap_drop),
    ...each('--cap-add', service.cap_add),
    ...each('--security-opt', service.security_opt),
    ...(service.read_only ? ['--read-only'] : []),
  ];
}
