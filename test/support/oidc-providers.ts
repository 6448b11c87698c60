import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';
import type { Test } from 'tap';
import type { Browser, Visit } from './route-browser.ts';

async function listen(t: Test, handlerOf: (issuer: string) => RequestListener): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.on('request', handlerOf(issuer));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return issuer;
}

export const SECRET = 'a-client-secret-of-the-tests';

/** Where a provider tells of logouts, and how it gets there. */
export interface BackChannel {
  uri: string;
  fetch: (request: Request) => Promise<Response>;
}

/** A real provider. Clients register by `clients` before the first request. */
export async function startOidcProvider(
  t: Test,
  clientId: string,
  redirectUris: string[],
  back?: BackChannel,
): Promise<string> {
  const configuration: Configuration = {
    clients: [
      {
        client_id: clientId,
        client_secret: SECRET,
        redirect_uris: redirectUris,
        token_endpoint_auth_method: 'client_secret_post',
        post_logout_redirect_uris: redirectUris.map((uri) => new URL('/', uri).href),
        ...(back === undefined ? {} : { backchannel_logout_uri: back.uri, backchannel_logout_session_required: true }),
      },
    ],
    cookies: { keys: ['not secret in a test'] },
    pkce: { required: () => true },
    conformIdTokenClaims: false,
    claims: { email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    features: {
      devInteractions: { enabled: true },
      rpInitiatedLogout: { enabled: true },
      backchannelLogout: { enabled: back !== undefined },
    },
    ...(back === undefined ? {} : { fetch: (url, init) => back.fetch(new Request(url, init)) }),
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: `${id}@acme.example`,
        email_verified: true,
        name: `${id} of Acme`,
        groups: id === 'ann' ? ['security', 'staff'] : ['staff'],
      }),
    }),
  };
  // Its warnings about development settings are meant for others.
  const { warn, info } = console;
  console.warn = () => {};
  console.info = () => {};
  const issuer = await listen(t, (issuer) => new Provider(issuer, configuration).callback());
  console.warn = warn;
  console.info = info;
  return issuer;
}

/** Goes through the provider's pages as `login`, until it sends the browser back to `own`. Answers with where to. */
export async function signInAtProvider(browser: Browser, start: string, login: string, own: string): Promise<string> {
  const comesBack = (url: URL) => url.href.startsWith(`${own}/callback`);
  let visit = await browser.follow(start, comesBack);
  for (let page = 0; page < 4 && visit.location === null; page++) {
    const prompt = /name="prompt" value="(\w+)"/.exec(visit.body)?.[1];
    if (prompt === undefined) throw new Error(`no form at ${visit.url}: ${visit.status} ${visit.body.slice(0, 500)}`);
    const answered: Visit = await browser.visit(visit.url, {
      form: prompt === 'login' ? { prompt, login, password: 'x' } : { prompt },
    });
    visit = await browser.follow(new URL(answered.location ?? '', visit.url).href, comesBack);
  }
  if (visit.location === null) throw new Error(`did not come back: ${visit.url} ${visit.body.slice(0, 500)}`);
  return visit.location;
}

export interface Lie {
  /** Instead of the claims that were right. */
  claims?: (right: JWTPayload) => JWTPayload;
  /** Instead of the token, given the right claims. */
  token?: (right: JWTPayload) => string | Promise<string>;
  /** Instead of what comes back beside the code. */
  back?: (query: URLSearchParams) => void;
  keyless?: boolean;
}

/** What a logout token of the liar is to be. */
export interface LogoutLie {
  claims?: (right: JWTPayload) => JWTPayload;
  header?: object;
  keyless?: boolean;
}

/** A provider that answers at once, and lies as it is told. */
export async function startLiar(t: Test) {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const stranger = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
  const lie: { current: Lie } = { current: {} };
  const asked = new Map<string, URLSearchParams>();
  const tokens: { count: number } = { count: 0 };
  let codes = 0;

  const answer = async (issuer: string, url: URL, body: URLSearchParams): Promise<object | string> => {
    if (url.pathname === '/.well-known/openid-configuration')
      return {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        authorization_response_iss_parameter_supported: true,
      };
    if (url.pathname === '/jwks') return { keys: [jwk] };
    if (url.pathname === '/authorize') {
      const code = `code-${++codes}`;
      asked.set(code, url.searchParams);
      const query = new URLSearchParams({ code, state: url.searchParams.get('state') ?? '', iss: issuer });
      lie.current.back?.(query);
      return `${url.searchParams.get('redirect_uri')}?${query.toString()}`;
    }
    tokens.count++;
    const request = asked.get(body.get('code') ?? '');
    const seconds = Math.floor(Date.now() / 1000);
    const right: JWTPayload = {
      iss: issuer,
      sub: 'liar-1',
      aud: body.get('client_id') ?? '',
      nonce: request?.get('nonce') ?? '',
      iat: seconds,
      exp: seconds + 300,
      email: 'liar@acme.example',
      name: 'Liar',
    };
    const claims = lie.current.claims?.(right) ?? right;
    const sign = lie.current.keyless === true ? stranger.privateKey : privateKey;
    const token =
      lie.current.token?.(claims) ?? new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).sign(sign);
    return { access_token: 'at', token_type: 'Bearer', expires_in: 300, id_token: await token };
  };

  const issuer = await listen(t, (issuer) => (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = new URLSearchParams(Buffer.concat(chunks).toString());
      void answer(issuer, new URL(request.url ?? '/', issuer), body).then((value) => {
        if (typeof value === 'string') response.writeHead(302, { location: value }).end();
        else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      });
    });
  });
  const logoutToken = ({ claims = (right) => right, header = {}, keyless = false }: LogoutLie = {}) => {
    const seconds = Math.floor(Date.now() / 1000);
    const right: JWTPayload = {
      iss: issuer,
      aud: 'gatehouse',
      sub: 'liar-1',
      iat: seconds,
      exp: seconds + 120,
      jti: `logout-${++codes}`,
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    };
    return new SignJWT(claims(right))
      .setProtectedHeader({ alg: 'RS256', kid: 'k1', typ: 'logout+jwt', ...header })
      .sign(keyless ? stranger.privateKey : privateKey);
  };
  return { issuer, lie, tokens, logoutToken };
}
