import { X509Certificate } from 'node:crypto';
import type { MetadataOutcome } from './saml-messages.ts';
import {
  attribute,
  children,
  descendants,
  is,
  METADATA,
  PROTOCOL,
  parseXml,
  SIGNATURE,
  textOf,
  type XmlElement,
} from './saml-xml.ts';

const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const KEY_BITS_MIN = 2048;
const CERTIFICATES_MAX = 8;

/** What a provider's metadata says. It is taken as the administrator gave it: their hand is what makes it trusted. */
export async function readMetadata(xml: string): Promise<MetadataOutcome> {
  const root = await parseXml(xml).catch(() => undefined);
  if (root === undefined) return fault('the metadata is no well-formed XML');
  const entities = is(root, METADATA, 'EntityDescriptor') ? [root] : descendants(root, 'EntityDescriptor');
  const providers = entities.filter((entity) => children(entity, METADATA, 'IDPSSODescriptor').length === 1);
  const [entity, ...others] = providers;
  if (entity === undefined || others.length > 0) return fault('the metadata must describe one identity provider');
  const role = children(entity, METADATA, 'IDPSSODescriptor').find((element) =>
    attribute(element, 'protocolSupportEnumeration').split(/\s+/).includes(PROTOCOL),
  );
  const ssoUrl = locationOf(role, 'SingleSignOnService');
  if (role === undefined || ssoUrl === '')
    return fault('the metadata names no sign-in address for HTTP-Redirect (SAML 2.0)');
  const certificates = certificatesOf(role);
  if (certificates === undefined)
    return fault('the metadata holds no certificate that can be used: RSA, 2,048 bits or more');
  const sloUrl = locationOf(role, 'SingleLogoutService');
  const entityId = attribute(entity, 'entityID');
  return { ok: true, metadata: { entityId, ssoUrl, certificates, ...(sloUrl === '' ? {} : { sloUrl }) } };
}

function locationOf(role: XmlElement | undefined, name: string): string {
  return attribute(
    children(role, METADATA, name).find((service) => attribute(service, 'Binding') === REDIRECT),
    'Location',
  );
}

/** All that it signs with, the present and the next: a provider announces its new key here before it changes over. */
function certificatesOf(role: XmlElement): string[] | undefined {
  const found = children(role, METADATA, 'KeyDescriptor')
    .filter((key) => ['', 'signing'].includes(attribute(key, 'use')))
    .flatMap((key) => descendants(key, 'X509Certificate'))
    .filter((element) => element.namespaceURI === SIGNATURE)
    .flatMap((element) => readCertificate(textOf(element) ?? '') ?? []);
  const certificates = [...new Set(found)].slice(0, CERTIFICATES_MAX);
  return certificates.length === 0 ? undefined : certificates;
}

/** A certificate in PEM or bare base64, as PEM; undefined where it is none, or its key is too weak or of another kind. */
export function readCertificate(text: string): string | undefined {
  const base64 = text.replace(/-----(?:BEGIN|END) CERTIFICATE-----|\s/g, '');
  try {
    const certificate = new X509Certificate(Buffer.from(base64, 'base64'));
    const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
    const strong = asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= KEY_BITS_MIN;
    return strong ? certificate.toString() : undefined;
  } catch {
    return undefined;
  }
}

function fault(text: string): MetadataOutcome {
  return { ok: false, fault: text };
}
