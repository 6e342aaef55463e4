import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Subprocess } from 'bun';
import { mount, unmount } from '../../agent/runner/container/mounting.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

/** A Docker Engine of a test's own, which touches no network and no folder of the machine's. */
export interface DockerDaemon extends AsyncDisposable {
  readonly socket: string;
  /** The address of an engine: `unix://…`. */
  readonly dockerHost: string;
  /** Where it and the runtime store their containers. */
  readonly configurations: readonly string[];
  /** Settles when it answers. */
  start(): Promise<void>;
  /** Settles when it has ended. */
  stop(): Promise<void>;
  /** The ids of all containers, in whatever state. */
  containers(): Promise<string[]>;
  /** Makes one of the existing image, and returns its id. */
  make(labels: Readonly<Record<string, string>>, state: 'created' | 'paused'): Promise<string>;
  remove(id: string): Promise<void>;
  /** As `docker rmi --force` does, also where containers of an image run. */
  untagImages(): Promise<void>;
}

export async function dockerDaemon(): Promise<DockerDaemon> {
  const folder = await temporaryFolder();
  // In memory: what an image is made of are ten thousand files, and all of them are removed at the end.
  await mount(['-t', 'tmpfs', '-o', 'size=2g'], 'tmpfs', folder.path);
  const daemon = new Daemon(folder);
  await daemon.start();
  return daemon;
}

class Daemon implements DockerDaemon {
  readonly #folder: TemporaryFolder;
  #process: Subprocess<'ignore', 'ignore', 'pipe'> | undefined;

  constructor(folder: TemporaryFolder) {
    this.#folder = folder;
    mkdirSync(this.#in('data'));
    // Not that of the machine, which may say anything.
    writeFileSync(this.#in('daemon.json'), '{}');
  }

  get socket(): string {
    return this.#in('docker.sock');
  }

  get dockerHost(): string {
    return `unix://${this.socket}`;
  }

  get configurations(): readonly string[] {
    return [this.#in('data/containers'), this.#in('exec/containerd')];
  }

  async start(): Promise<void> {
    const folders = {
      'data-root': 'data',
      'exec-root': 'exec',
      pidfile: 'pid',
      'config-file': 'daemon.json',
    };
    this.#process = Bun.spawn(
      [
        ...['dockerd', '--bridge=none', '--iptables=false', '--ip-forward=false', '--host', this.dockerHost],
        ...Object.entries(folders).map(([option, name]) => `--${option}=${this.#in(name)}`),
      ],
      { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
    );
    await saysThatItListens(this.#process.stderr);
  }

  async stop(): Promise<void> {
    this.#process?.kill('SIGTERM');
    await this.#process?.exited;
    this.#process = undefined;
  }

  async containers(): Promise<string[]> {
    const all = (await this.#ask('GET', '/containers/json?all=1')) as { Id: string }[];
    return all.map(({ Id }) => Id);
  }

  async make(labels: Readonly<Record<string, string>>, state: 'created' | 'paused'): Promise<string> {
    const [image] = await this.#images();
    const body = { Image: image?.Id, Cmd: ['sleep', '600'], Labels: labels, NetworkDisabled: true };
    const { Id } = (await this.#ask('POST', '/containers/create', body)) as { Id: string };
    if (state === 'paused') {
      await this.#ask('POST', `/containers/${Id}/start`);
      await this.#ask('POST', `/containers/${Id}/pause`);
    }
    return Id;
  }

  async remove(id: string): Promise<void> {
    await this.#ask('DELETE', `/containers/${id}?force=1`);
  }

  async untagImages(): Promise<void> {
    for (const { RepoTags } of await this.#images()) {
      for (const tag of RepoTags) await this.#ask('DELETE', `/images/${tag}?force=1`);
    }
  }

  async #images(): Promise<readonly { Id: string; RepoTags: readonly string[] }[]> {
    return (await this.#ask('GET', '/images/json')) as { Id: string; RepoTags: string[] }[];
  }

  async #ask(method: string, path: string, json?: object): Promise<unknown> {
    const answer = await fetch(`http://docker${path}`, {
      unix: this.socket,
      method,
      keepalive: false,
      ...(json === undefined
        ? {}
        : { body: JSON.stringify(json), headers: { 'Content-Type': 'application/json' } }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    // Left by containers in the machine's network.
    await unmount(this.#in('exec/netns/default'));
    // Refused while anything is mounted below, or used.
    await unmount(this.#folder.path);
    await this.#folder[Symbol.asyncDispose]();
  }

  #in(name: string): string {
    return join(this.#folder.path, name);
  }
}

/** Reads on behind that, so that it never waits for a reader of its log. */
function saysThatItListens(log: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const read = async () => {
    let text = '';
    for await (const part of log.pipeThrough(new TextDecoderStream())) {
      text = (text + part).slice(-10_000);
      if (text.includes('API listen on')) resolve();
    }
    reject(new Error(`Docker did not start: ${text}`));
  };
  void read();
  return promise;
}
