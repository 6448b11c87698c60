import { randomBytes } from 'node:crypto';
import { SAML, type SamlConfig } from '@node-saml/node-saml';
import { type SamlSettings, signedPartOf } from '../domain/sso.ts';
import type { SamlKeys } from './saml-keys.ts';
import type { LogoutOutcome, MetadataOutcome, ResponseOutcome, SentMessage } from './saml-messages.ts';
import type { SamlPool } from './saml-pool.ts';
import { inflated } from './saml-redirect.ts';

/** The addresses of ours that belong to one connection, and no other. */
export interface ServiceProvider {
  /** Where its metadata is: also our name to the provider. */
  entityId: string;
  acsUrl: string;
  sloUrl: string;
}

export interface SamlProvidersOptions {
  pool: SamlPool;
  /** Another one for logouts, which anybody can send: however many come, no sign-in waits for them. */
  logoutPool: SamlPool;
  /** Asked for when the first connection needs them: making a key takes a moment. */
  keys: () => Promise<SamlKeys>;
  now: () => number;
}

const RESPONSE_CHARS_MAX = 200_000;
/** A logout request needs a tenth of it. */
const LOGOUT_BYTES_MAX = 32 * 1024;
/** Each part begins with what the one before cannot hold: with white space at the end of both, it took quadratic time to say no. */
const BASE64 = /^[A-Za-z0-9+/\s]+(?:={1,2}\s*)?$/;

/** Sign-in with SAML 2.0: requests over HTTP-Redirect, responses over HTTP-POST, and never a response that was not asked for. */
export class SamlProviders {
  readonly #options: SamlProvidersOptions;
  #keys: Promise<SamlKeys> | undefined;

  constructor(options: SamlProvidersOptions) {
    this.#options = options;
  }

  /** A fresh id for a request: 160 random bits. An XML name may not begin with a digit. */
  requestId(): string {
    return `_${randomBytes(20).toString('hex')}`;
  }

  /** Where to send the person. `state` comes back as it is; it is no address. */
  async authorizeUrl(
    settings: SamlSettings,
    sp: ServiceProvider,
    { state, requestId }: { state: string; requestId: string },
  ): Promise<string> {
    const saml = await this.#client(settings, sp, requestId);
    return saml.getAuthorizeUrlAsync(state, undefined, {});
  }

  /** Checks what was posted to the ACS as the answer to `requestId`. */
  async finish(
    settings: SamlSettings,
    sp: ServiceProvider,
    { response, requestId }: { response: string; requestId: string },
  ): Promise<ResponseOutcome> {
    if (response.length > RESPONSE_CHARS_MAX || !BASE64.test(response))
      return { ok: false, fault: 'it is too large, or no base64' };
    return this.#options.pool.checkResponse({
      xml: Buffer.from(response, 'base64').toString('utf8'),
      entityId: settings.entityId,
      certificates: settings.certificates,
      signed: signedPartOf(settings),
      wantEncrypted: settings.wantEncrypted === true,
      ...(settings.nameIdFormat === undefined ? {} : { nameIdFormat: settings.nameIdFormat }),
      audience: sp.entityId,
      acsUrl: sp.acsUrl,
      requestId,
      keys: await this.#openKeys(),
      nowMs: this.#options.now(),
    });
  }

  /** Where the person ends the session at the provider, too; undefined where it names no such place. */
  async logoutUrl(
    settings: SamlSettings,
    sp: ServiceProvider,
    session: Record<string, string>,
  ): Promise<string | undefined> {
    const { nameId, nameIdFormat, nameQualifier, spNameQualifier, sessionIndex } = session;
    if (settings.sloUrl === undefined || !nameId) return undefined;
    // Signed whatever the settings say of sign-ins: providers would not let anybody end the sessions of others.
    const saml = await this.#client({ ...settings, signRequests: true }, sp, this.requestId());
    const user = {
      issuer: settings.entityId,
      nameID: nameId,
      nameIDFormat: nameIdFormat || 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
      ...(nameQualifier ? { nameQualifier } : {}),
      ...(spNameQualifier ? { spNameQualifier } : {}),
      ...(sessionIndex ? { sessionIndex } : {}),
    };
    return saml.getLogoutUrlAsync(user, '', {});
  }

  /** Checks a request of the provider to end sessions. */
  async readLogout(settings: SamlSettings, sp: ServiceProvider, sent: SentMessage): Promise<LogoutOutcome> {
    const message = sent.binding === 'post' ? sent.message : sent.parameters.SAMLRequest;
    const xml = await logoutXml(message, sent.binding);
    if (xml === undefined) return { ok: false, fault: 'it is too large, or not encoded as its binding demands' };
    return this.#options.logoutPool.checkLogout({
      xml,
      sent,
      entityId: settings.entityId,
      certificates: settings.certificates,
      audience: sp.entityId,
      sloUrl: sp.sloUrl,
      keys: await this.#openKeys(),
      nowMs: this.#options.now(),
    });
  }

  /** Where the person goes with the answer that the sessions are over; undefined where the provider names no such place. */
  async logoutAnswerUrl(
    settings: SamlSettings,
    sp: ServiceProvider,
    { requestId, relayState }: { requestId: string; relayState: string },
  ): Promise<string | undefined> {
    if (settings.sloUrl === undefined) return undefined;
    const saml = await this.#client({ ...settings, signRequests: true }, sp, this.requestId());
    const request = { ID: requestId, issuer: settings.entityId, nameID: '', nameIDFormat: '' };
    return saml.getLogoutResponseUrlAsync(request, relayState, {}, true);
  }

  /** Our metadata, to be given to the provider. */
  async metadata(settings: SamlSettings, sp: ServiceProvider): Promise<string> {
    const { certificate } = await this.#openKeys();
    return (await this.#client(settings, sp, this.requestId())).generateServiceProviderMetadata(
      certificate,
      certificate,
    );
  }

  readMetadata(xml: string): Promise<MetadataOutcome> {
    return this.#options.pool.readMetadata(xml);
  }

  #openKeys(): Promise<SamlKeys> {
    this.#keys ??= this.#options.keys().catch((error: unknown) => {
      this.#keys = undefined;
      throw error;
    });
    return this.#keys;
  }

  async #client(settings: SamlSettings, sp: ServiceProvider, requestId: string): Promise<SAML> {
    const { privateKey, certificate } = await this.#openKeys();
    const config: SamlConfig = {
      issuer: sp.entityId,
      callbackUrl: sp.acsUrl,
      logoutCallbackUrl: sp.sloUrl,
      entryPoint: settings.ssoUrl,
      ...(settings.sloUrl === undefined ? {} : { logoutUrl: settings.sloUrl }),
      idpCert: [...settings.certificates],
      decryptionPvk: privateKey,
      identifierFormat: settings.nameIdFormat ?? null,
      wantAssertionsSigned: ['assertion', 'both'].includes(signedPartOf(settings)),
      signatureAlgorithm: 'sha256',
      digestAlgorithm: 'sha256',
      // ADFS refuses sign-ins that ask for more than one of these, and nobody needs it to be asked for.
      disableRequestedAuthnContext: true,
      generateUniqueId: () => requestId,
      ...(settings.signRequests === true ? { privateKey, publicCert: certificate } : {}),
    };
    return new SAML(config);
  }
}

async function logoutXml(message: string, binding: SentMessage['binding']): Promise<string | undefined> {
  if (message.length > 2 * LOGOUT_BYTES_MAX || !BASE64.test(message)) return undefined;
  if (binding === 'redirect') return inflated(message, LOGOUT_BYTES_MAX);
  const bytes = Buffer.from(message, 'base64');
  return bytes.length > LOGOUT_BYTES_MAX ? undefined : bytes.toString('utf8');
}
