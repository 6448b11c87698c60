import { createSign } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { base64, ENTITY, type IdpKeys, sign } from './saml-provider.ts';

/** What a SAML provider sends to end sessions. */

/** What a request says; each can be something wrong. Times in seconds from now. */
export interface LogoutSaid {
  id: string;
  issuer: string;
  destination: string;
  issued: number;
  notOnOrAfter: number | undefined;
  nameId: string;
  /** In place of the element with the name. */
  subject: string | undefined;
  sessions: readonly string[];
}

let ids = 0;

export function logoutSaid(own: string, more: Partial<LogoutSaid> = {}): LogoutSaid {
  return {
    id: `_logout${++ids}`,
    issuer: ENTITY,
    destination: `${own}/slo`,
    issued: 0,
    notOnOrAfter: 60,
    nameId: 'ann-0001',
    subject: undefined,
    sessions: [],
    ...more,
  };
}

const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
const NAMESPACES =
  'xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';

export const nameIdOf = (text: string) =>
  `<saml:NameID xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">${text}</saml:NameID>`;

export function logoutOf({ id, issuer, destination, issued, notOnOrAfter, nameId, subject, sessions }: LogoutSaid) {
  const until = notOnOrAfter === undefined ? '' : ` NotOnOrAfter="${at(notOnOrAfter)}"`;
  const indexes = sessions.map((index) => `<samlp:SessionIndex>${index}</samlp:SessionIndex>`);
  return `<samlp:LogoutRequest ${NAMESPACES} ID="${id}" Version="2.0" IssueInstant="${at(issued)}"${until} Destination="${destination}"><saml:Issuer>${issuer}</saml:Issuer>${subject ?? nameIdOf(nameId)}${indexes.join('')}</samlp:LogoutRequest>`;
}

/** The fields of a form (HTTP-POST), the request signed in itself. */
export function logoutForm(xml: string, by: IdpKeys | null, algorithm: 'sha1' | 'sha256' = 'sha256') {
  const signed = by === null ? xml : sign(xml, 'LogoutRequest', by, algorithm);
  return { SAMLRequest: base64(signed), RelayState: 'to and fro' };
}

const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';

/** The query (HTTP-Redirect), signed as a whole. Percent-encoding in small letters, as ADFS writes it. */
export function logoutQuery(xml: string, by: IdpKeys | null, algorithm = RSA_SHA256): string {
  const encoded = (text: string) => encodeURIComponent(text).replaceAll(/%../g, (code) => code.toLowerCase());
  const message = `SAMLRequest=${encoded(deflateRawSync(xml).toString('base64'))}&RelayState=${encoded('to and fro')}`;
  if (by === null) return message;
  const signed = `${message}&SigAlg=${encoded(algorithm)}`;
  const hash = algorithm.endsWith('sha1') ? 'RSA-SHA1' : 'RSA-SHA256';
  return `${signed}&Signature=${encoded(createSign(hash).update(signed).sign(by.privateKey, 'base64'))}`;
}
