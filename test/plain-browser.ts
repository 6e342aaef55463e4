/** A browser without scripts: follows redirects, keeps the cookies of each origin, sends forms. */
export class PlainBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** Follows redirects until a page, or until an address that `stop` accepts, which is not opened. */
  async open(
    url: string,
    stop: (url: URL) => boolean = () => false,
    form?: URLSearchParams,
  ): Promise<Opened> {
    let [next, body] = [new URL(url), form];
    for (let hops = 0; hops < 20; hops += 1) {
      if (stop(next)) return { url: next, status: 0, text: '' };
      const response = await this.#send(next, body);
      const location = response.headers.get('location');
      if (response.status < 300 || response.status >= 400 || location === null)
        return { url: next, status: response.status, text: await response.text() };
      [next, body] = [new URL(location, next), undefined];
    }
    throw new Error(`too many redirects from ${url}`);
  }

  /** Sends the first form of a page with these fields. */
  submit({ url, text }: Opened, fields: Readonly<Record<string, string>>, stop?: (url: URL) => boolean) {
    const action = /<form[^>]* action="([^"]+)"/.exec(text)?.[1] ?? url.href;
    const hidden = [...text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']): [string, string] => [name, value],
    );
    const form = new URLSearchParams([...hidden, ...Object.entries(fields)]);
    return this.open(new URL(action, url).href, stop, form);
  }

  cookie(url: string, name: string): string | undefined {
    return this.#jar(new URL(url)).get(name);
  }

  /** The header with all cookies of an origin. */
  header(url: string): string {
    return [...this.#jar(new URL(url))].map((pair) => pair.join('=')).join('; ');
  }

  /** Takes over cookies, as `name=value; name=value`. */
  addCookies(url: string, cookies: string): void {
    for (const [, name = '', value = ''] of cookies.matchAll(/([^=; ]+)=([^;]*)/g))
      this.#jar(new URL(url)).set(name, value);
  }

  async #send(url: URL, body: URLSearchParams | undefined): Promise<Response> {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: this.header(url.href), ...(body && { origin: url.origin }) },
      ...(body && { method: 'POST', body }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '' || /max-age=0\b|expires=Thu, 01 Jan 1970/i.test(cookie)) this.#jar(url).delete(name);
      else this.#jar(url).set(name, value);
    }
    return response;
  }

  #jar({ origin }: URL): Map<string, string> {
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    return jar;
  }
}

export interface Opened {
  readonly url: URL;
  /** 0: not opened. */
  readonly status: number;
  readonly text: string;
}
