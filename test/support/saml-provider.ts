import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { promisify } from 'node:util';
import { inflateRawSync } from 'node:zlib';
import { signXml } from '@node-saml/node-saml/lib/xml.js';
import { encrypt } from 'xml-encryption';
import { selfSignedCertificate } from '../../src/identity/self-signed-certificate.ts';

/** A SAML identity provider, made of what one sends. */

export const ENTITY = 'https://idp.example/saml';
export const SSO_URL = 'https://idp.example/sso';
export const SLO_URL = 'https://idp.example/slo';

export interface IdpKeys {
  privateKey: string;
  certificate: string;
}

export function makeIdpKeys(bits = 2048): IdpKeys {
  const pair = generateKeyPairSync('rsa', { modulusLength: bits });
  return {
    privateKey: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: selfSignedCertificate(pair, { name: 'idp.example', from: new Date(), years: 1 }),
  };
}

export const bareBase64 = (pem: string) => pem.replace(/-----[A-Z ]+-----|\s/g, '');

export function idpMetadata(certificates: readonly string[]): string {
  const keys = certificates.map(
    (pem) =>
      `<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${bareBase64(pem)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`,
  );
  const service = (name: string, url: string) =>
    `<md:${name} Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${url}"/>`;
  return `<?xml version="1.0"?>
<!-- as some providers write them -->
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${ENTITY}">
<md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${keys.join('')}
${service('SingleLogoutService', SLO_URL)}${service('SingleSignOnService', SSO_URL)}</md:IDPSSODescriptor></md:EntityDescriptor>`;
}

export interface Asked {
  id: string;
  acsUrl: string;
  issuer: string;
  relayState: string;
  xml: string;
  url: URL;
}

/** What the service asks of the provider. */
export function readRequest(location: string): Asked {
  const url = new URL(location);
  const xml = inflateRawSync(Buffer.from(url.searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
  const of = (pattern: RegExp) => pattern.exec(xml)?.[1] ?? '';
  return {
    id: of(/ID="([^"]+)"/),
    acsUrl: of(/AssertionConsumerServiceURL="([^"]+)"/),
    issuer: of(/<saml:Issuer[^>]*>([^<]+)</),
    relayState: url.searchParams.get('RelayState') ?? '',
    xml,
    url,
  };
}

/** What an answer says; each can be something wrong. */
export interface Said {
  assertionId: string;
  responseIssuer: string;
  issuer: string;
  destination: string;
  responseInResponseTo: string;
  inResponseTo: string;
  recipient: string;
  audience: string;
  nameId: string;
  format: string;
  notBefore: number;
  notOnOrAfter: number;
  confirmedUntil: number;
  attributes: string;
  status: string;
}

let ids = 0;

export function right(asked: Asked, more: Partial<Said> = {}): Said {
  return {
    assertionId: `_assertion${++ids}`,
    responseIssuer: ENTITY,
    issuer: ENTITY,
    destination: asked.acsUrl,
    responseInResponseTo: asked.id,
    inResponseTo: asked.id,
    recipient: asked.acsUrl,
    audience: asked.issuer,
    nameId: 'ann-0001',
    format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
    notBefore: -60,
    notOnOrAfter: 300,
    confirmedUntil: 300,
    attributes:
      attribute('email', 'ann@acme.example') + attribute('name', 'Ann') + attribute('groups', 'security', 'staff'),
    status: 'Success',
    ...more,
  };
}

export function attribute(name: string, ...values: string[]): string {
  const texts = values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`);
  return `<saml:Attribute Name="${name}">${texts.join('')}</saml:Attribute>`;
}

const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

export function assertionOf(said: Said): string {
  return `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${said.assertionId}" Version="2.0" IssueInstant="${at(0)}"><saml:Issuer>${said.issuer}</saml:Issuer><saml:Subject><saml:NameID Format="${said.format}">${said.nameId}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="${at(said.confirmedUntil)}" Recipient="${said.recipient}" InResponseTo="${said.inResponseTo}"/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${at(said.notBefore)}" NotOnOrAfter="${at(said.notOnOrAfter)}"><saml:AudienceRestriction><saml:Audience>${said.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${at(0)}" SessionIndex="_session1"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>${said.attributes}</saml:AttributeStatement></saml:Assertion>`;
}

export function responseOf(said: Said, assertion: string, id = `_response${++ids}`): string {
  return `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="${id}" Version="2.0" IssueInstant="${at(0)}" Destination="${said.destination}" InResponseTo="${said.responseInResponseTo}"><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${said.responseIssuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${said.status}"/></samlp:Status>${assertion}</samlp:Response>`;
}

/** Signs the element `name` of `xml` (the first one), the signature behind its issuer, as providers put it. */
export function sign(
  xml: string,
  name: 'Assertion' | 'Response' | 'LogoutRequest',
  keys: IdpKeys,
  algorithm: 'sha1' | 'sha256' = 'sha256',
) {
  const reference = `//*[local-name(.)='${name}']`;
  return signXml(
    xml,
    reference,
    { reference: `${reference}/*[local-name(.)='Issuer']`, action: 'after' },
    {
      privateKey: keys.privateKey,
      publicCert: keys.certificate,
      signatureAlgorithm: algorithm,
      digestAlgorithm: algorithm,
    },
  );
}

/** An encrypted assertion for whoever has the key of `certificate`, as ADFS makes it. */
export async function encrypted(assertion: string, certificate: string): Promise<string> {
  const xml = await promisify(encrypt)(assertion, {
    rsa_pub: Buffer.from(createPublicKey(certificate).export({ type: 'spki', format: 'pem' })),
    pem: Buffer.from(certificate),
    encryptionAlgorithm: 'http://www.w3.org/2001/04/xmlenc#aes256-cbc',
    keyEncryptionAlgorithm: 'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
  });
  return `<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${xml}</saml:EncryptedAssertion>`;
}

export const base64 = (text: string) => Buffer.from(text).toString('base64');
