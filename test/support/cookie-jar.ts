/** Keeps cookies as a browser does, by origin and name (paths and lifetimes apart), and follows redirects with them. */
export class CookieJar {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** One request, without following where it leads. */
  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(url);
    const headers = new Headers(init.headers);
    const own = this.#cookies.get(origin) ?? new Map<string, string>();
    if (own.size > 0) headers.set('cookie', [...own].map(([name, value]) => `${name}=${value}`).join('; '));
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) this.#take(own, line);
    this.#cookies.set(origin, own);
    return answer;
  }

  /** As a browser goes: a redirect is followed by GET. */
  async follow(url: string, init: RequestInit = {}): Promise<Response> {
    let answer = await this.fetch(url, init);
    let at = url;
    for (let hops = 0; answer.status >= 300 && answer.status < 400 && hops < 10; hops++) {
      at = new URL(answer.headers.get('location') as string, at).href;
      answer = await this.fetch(at);
    }
    return answer;
  }

  get(origin: string, name: string): string | undefined {
    return this.#cookies.get(origin)?.get(name);
  }

  #take(own: Map<string, string>, line: string): void {
    const [pair = '', ...attributes] = line.split(';');
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    const isDeleted = attributes.some((each) => /^\s*max-age=0/i.test(each) || /expires=.*1970/i.test(each));
    if (isDeleted) own.delete(name);
    else own.set(name, pair.slice(at + 1).trim());
  }
}
