import { type IncomingHttpHeaders, request } from 'node:http';

/** An answer as it came, without redirects being followed. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  /** Of Set-Cookie, by name. */
  setCookies: Map<string, string>;
}

export interface Sent {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string;
}

/** Sends a request with exactly these headers. */
export function send(url: URL | string, { method = 'GET', headers = {}, body = '' }: Sent = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === '' && method === 'GET' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = request(url, { method, headers: { ...length, ...headers }, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () => {
        const setCookies = new Map((answer.headers['set-cookie'] ?? []).map((line) => [nameOf(line), line]));
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text, setCookies });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function nameOf(cookie: string): string {
  return cookie.slice(0, cookie.indexOf('='));
}

let browsers = 0;

/** A person's browser: keeps cookies, sends fetch metadata as one does, and comes from a network of its own. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly address = `198.18.${Math.floor(++browsers / 250)}.${(browsers % 250) + 1}`;
  readonly #baseUrl: () => string;

  constructor(baseUrl: () => string) {
    this.#baseUrl = baseUrl;
  }

  /** A navigation of the person's own; `headers` change what the browser says of it. */
  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#send(path, { headers: { 'sec-fetch-site': 'none', ...headers } });
  }

  /** A form of a page of ours. */
  postForm(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
    const body = new URLSearchParams(fields).toString();
    const type = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
    return this.#send(path, { method: 'POST', body, headers: { ...type, ...headers } });
  }

  /** A request that the dashboard's code makes. */
  postJson(path: string, value: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const body = value === undefined ? '' : JSON.stringify(value);
    const own = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
    return this.#send(path, { method: 'POST', body, headers: { ...own, ...headers } });
  }

  async #send(path: string, sent: Sent): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers: Record<string, string | string[]> = {
      accept: '*/*',
      'x-forwarded-for': this.address,
      ...sent.headers,
    };
    if (cookie !== '') headers['cookie'] ??= cookie;
    const answer = await send(`${this.#baseUrl()}${path}`, { ...sent, headers });
    for (const [name, line] of answer.setCookies) {
      const value = /=([^;]*)/.exec(line)?.[1] ?? '';
      if (value === '' || /Max-Age=0/.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return answer;
  }
}
