import { Failure } from '../failure.ts';
import { ConfigFile } from './config-file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The addresses of services by name, and the name in use. */
export interface KeptContexts {
  readonly current: string | null;
  readonly contexts: Readonly<Record<string, string>>;
}

const NONE: KeptContexts = { current: null, contexts: {} };

/** The contexts of this user: names for the addresses of several hubs. `svc login` keeps the tokens by address. */
export class Contexts {
  readonly #file: ConfigFile<KeptContexts>;
  readonly #chosen: string | undefined;

  constructor(environment: Environment) {
    this.#file = new ConfigFile(environment, 'contexts.json', 'contexts');
    this.#chosen = environment.SVC_CONTEXT || undefined;
  }

  read(): KeptContexts {
    const kept = this.#file.read() ?? NONE;
    return { ...kept, current: this.#chosen ?? kept.current };
  }

  /** The address of the context in use; undefined: none is in use. */
  currentUrl(): string | undefined {
    const { current } = this.read();
    return current === null ? undefined : this.urlOf(current);
  }

  urlOf(name: string): string {
    const { contexts } = this.read();
    const url = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
    if (url !== undefined) return url;
    throw new Failure(`there is no context "${name}"`, { tip: 'svc context' });
  }

  /** Adds or replaces a context. The first one is in use at once. */
  add(name: string, url: string): void {
    const { current, contexts } = this.#file.read() ?? NONE;
    this.#file.write({ current: current ?? name, contexts: { ...contexts, [name]: url } });
  }

  use(name: string): void {
    this.urlOf(name);
    this.#file.write({ ...(this.#file.read() ?? NONE), current: name });
  }

  delete(name: string): void {
    this.urlOf(name);
    const { current, contexts } = this.#file.read() ?? NONE;
    const { [name]: _, ...others } = contexts;
    this.#file.write({ current: current === name ? null : current, contexts: others });
  }
}
