import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type ImageArchitecture, imagePackages } from './image-packages.ts';
import { ownModes, writeDocuments } from './package-tree.ts';
import type { Release } from './release.ts';
import { run } from './run.ts';

/** The user of the processes, as in deploy/Dockerfile. */
const USER_ID = 8787;
const DATA = 'var/lib/svc';
const PASSWD = `root:x:0:0:root:/root:/usr/sbin/nologin\nsvc:x:${USER_ID}:${USER_ID}:svc:/${DATA}:/usr/sbin/nologin\n`;
const GROUP = `root:x:0:\nsvc:x:${USER_ID}:\n`;
const CERTIFICATES = 'etc/ssl/certs/ca-certificates.crt';
const LIBRARIES = /^(?:ld-linux-[\w-]+\.so\.\d|lib(?:c|m|dl|pthread|rt|resolv|nss_dns|nss_files)\.so\.\d)$/;
const SECOND = 1e9;

/** The program for a processor. */
export interface ImageProgram {
  readonly architecture: ImageArchitecture;
  readonly program: string;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

interface Layer extends Descriptor {
  /** The digest of the layer before its compression. */
  readonly diffId: string;
}

/**
 * Packs images into one archive, an OCI layout with an index of processors, which `docker load` reads as well. An image has the
 * program, its C library and certificates, and no shell. The layout is written here and not by a tool, because tools put times,
 * random ids and their version into it.
 */
export function imageArchive(release: Release, programs: readonly ImageProgram[]): string {
  const folder = join(release.folder, 'image');
  const layout = join(folder, 'layout');
  mkdirSync(join(layout, 'blobs/sha256'), { recursive: true });
  const images = programs.map((program) => imageOf(release, folder, layout, program));
  const index = blob(layout, 'application/vnd.oci.image.index.v1+json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: images.map(({ architecture, manifest }) => ({
      ...manifest,
      platform: { architecture, os: 'linux' },
    })),
  });
  const named = { ...index, annotations: { 'org.opencontainers.image.ref.name': release.version } };
  writeJson(join(layout, 'oci-layout'), { imageLayoutVersion: '1.0.0' });
  writeJson(join(layout, 'index.json'), { schemaVersion: 2, manifests: [named] });
  // Docker before version 25 reads this file only. It has one processor per name.
  writeJson(
    join(layout, 'manifest.json'),
    images.map(({ architecture, config, layers }, position) => ({
      Config: pathOf(config),
      RepoTags: [`svc:${release.version}${position === 0 ? '' : `-${architecture}`}`],
      Layers: layers.map(pathOf),
    })),
  );
  ownModes(layout);
  const file = join(release.folder, `svc-${release.version}-image.tar`);
  pack(release, layout, file, ['oci-layout', 'index.json', 'manifest.json', 'blobs']);
  rmSync(folder, { recursive: true });
  return file;
}

function imageOf(release: Release, folder: string, layout: string, { architecture, program }: ImageProgram) {
  const root = join(folder, architecture);
  const base = join(root, 'base');
  layOutBase(imagePackages(join(root, 'packages'), architecture), base);
  const data = join(root, 'data');
  mkdirSync(join(data, DATA), { recursive: true, mode: 0o700 });
  run(['chmod', '0700', join(data, DATA)]);
  const own = join(root, 'program');
  mkdirSync(join(own, 'usr/local/bin'), { recursive: true });
  copyFileSync(program, join(own, 'usr/local/bin/svc'));
  writeDocuments(join(own, 'usr/share/doc/svc'));
  ownModes(own);
  const layers = [
    layer(release, layout, base, readdirSync(base).sort()),
    // The folder alone: those above it are of the layer before.
    layer(release, layout, data, [DATA], USER_ID),
    layer(release, layout, own, ['usr']),
  ];
  const config = blob(
    layout,
    'application/vnd.oci.image.config.v1+json',
    configOf(release, architecture, layers),
  );
  const manifest = blob(layout, 'application/vnd.oci.image.manifest.v1+json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config,
    layers: layers.map(({ diffId: _, ...descriptor }) => descriptor),
  });
  return { architecture, config, layers, manifest };
}

function layOutBase(packages: string, base: string): void {
  const [library = ''] = new Bun.Glob('lib/*-linux-gnu').scanSync({ cwd: packages, onlyFiles: false });
  for (const name of readdirSync(join(packages, library)).filter((file) => LIBRARIES.test(file)))
    copy(packages, base, join(library, name));
  // Programs name the loader by these.
  for (const folder of ['lib', 'lib64'].filter((name) => existsSync(join(packages, name))))
    for (const name of readdirSync(join(packages, folder)).filter((file) => LIBRARIES.test(file)))
      copy(packages, base, join(folder, name));
  for (const name of ['libc6', 'ca-certificates']) copy(packages, base, `usr/share/doc/${name}/copyright`);
  const authorities = join(packages, 'usr/share/ca-certificates/mozilla');
  const certificates = readdirSync(authorities)
    .sort()
    .map((name) => readFileSync(join(authorities, name), 'utf8'));
  write(base, CERTIFICATES, certificates.join(''));
  write(base, 'etc/passwd', PASSWD);
  write(base, 'etc/group', GROUP);
  mkdirSync(join(base, 'var/lib'), { recursive: true });
  mkdirSync(join(base, 'tmp'));
  ownModes(base);
  run(['chmod', '1777', join(base, 'tmp')]);
}

function configOf(
  { version, commit, epochS }: Release,
  architecture: ImageArchitecture,
  layers: readonly Layer[],
) {
  const created = new Date(epochS * 1000).toISOString();
  return {
    created,
    architecture,
    os: 'linux',
    config: {
      User: `${USER_ID}:${USER_ID}`,
      Env: [
        'PATH=/usr/local/bin',
        `SVC_DATA_DIR=/${DATA}`,
        'SVC_HOST=0.0.0.0',
        `SSL_CERT_FILE=/${CERTIFICATES}`,
      ],
      Entrypoint: ['svc'],
      Cmd: ['hub'],
      WorkingDir: `/${DATA}`,
      Volumes: { [`/${DATA}`]: {} },
      ExposedPorts: { '8787/tcp': {} },
      StopSignal: 'SIGTERM',
      Healthcheck: {
        Test: ['CMD', 'svc', 'health'],
        Interval: 10 * SECOND,
        Timeout: 6 * SECOND,
        StartPeriod: 30 * SECOND,
        Retries: 3,
      },
      Labels: {
        'org.opencontainers.image.title': 'svc',
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.revision': commit,
        'org.opencontainers.image.licenses': 'Apache-2.0',
      },
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(() => ({ created, created_by: 'npm run release' })),
  };
}

/** Packs entries of a folder as a layer. */
function layer(release: Release, layout: string, from: string, entries: readonly string[], owner = 0): Layer {
  const file = join(layout, 'layer.tar');
  pack(release, from, file, entries, owner);
  const diffId = digestOf(readFileSync(file));
  run(['gzip', `-${Math.min(release.level, 9)}`, '-n', file]);
  const packed = readFileSync(`${file}.gz`);
  rmSync(`${file}.gz`);
  return { ...put(layout, 'application/vnd.oci.image.layer.v1.tar+gzip', packed), diffId };
}

function pack({ epochS }: Release, from: string, file: string, entries: readonly string[], owner = 0): void {
  const order = [
    '--sort=name',
    `--owner=${owner}`,
    `--group=${owner}`,
    '--numeric-owner',
    `--mtime=@${epochS}`,
  ];
  run(['tar', '--create', '--format=ustar', ...order, `--file=${file}`, ...entries], { cwd: from });
}

function blob(layout: string, mediaType: string, content: object): Descriptor {
  return put(layout, mediaType, Buffer.from(JSON.stringify(content)));
}

function put(layout: string, mediaType: string, content: Buffer): Descriptor {
  const descriptor = { mediaType, digest: digestOf(content), size: content.length };
  writeFileSync(join(layout, pathOf(descriptor)), content);
  return descriptor;
}

function pathOf({ digest }: Descriptor): string {
  return `blobs/${digest.replace(':', '/')}`;
}

function digestOf(content: Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

function writeJson(file: string, content: unknown): void {
  writeFileSync(file, JSON.stringify(content));
}

function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function copy(from: string, to: string, path: string): void {
  mkdirSync(dirname(join(to, path)), { recursive: true });
  cpSync(join(from, path), join(to, path), { verbatimSymlinks: true });
}
