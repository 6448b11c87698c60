import { attribute, descendants, type XmlElement } from './saml-xml.ts';

/** What the query of HTTP-Redirect may be signed with. */
export const QUERY_SIGNATURES = [
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
];

/** What a message may be signed and encrypted with. SHA-1, HMAC and RSA 1.5 key transport are not among it. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  SignatureMethod: [...QUERY_SIGNATURES, 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1'],
  CanonicalizationMethod: [
    'http://www.w3.org/2001/10/xml-exc-c14n#',
    'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
  ],
  Transform: [
    'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
    'http://www.w3.org/2001/10/xml-exc-c14n#',
    'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
  ],
  EncryptionMethod: [
    'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
    'http://www.w3.org/2009/xmlenc11#rsa-oaep',
    'http://www.w3.org/2001/04/xmlenc#aes128-cbc',
    'http://www.w3.org/2001/04/xmlenc#aes256-cbc',
    'http://www.w3.org/2009/xmlenc11#aes128-gcm',
    'http://www.w3.org/2009/xmlenc11#aes256-gcm',
  ],
};

const SIGNATURE_DIGESTS = ['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512'];
/** Inside OAEP SHA-1 needs no collision resistance, and is what its first version prescribes. */
const OAEP_DIGESTS = [...SIGNATURE_DIGESTS, 'http://www.w3.org/2000/09/xmldsig#sha1'];

/** Why the algorithms named anywhere in `root` are not accepted; undefined where they are. */
export function algorithmFault(root: XmlElement): string | undefined {
  for (const [name, allowed] of Object.entries(ALLOWED)) {
    const bad = descendants(root, name).find((element) => !allowed.includes(attribute(element, 'Algorithm')));
    if (bad !== undefined) return `its ${name} is not accepted; let the provider use RSA with SHA-256, OAEP and AES`;
  }
  const inReferences = descendants(root, 'Reference').flatMap((reference) => descendants(reference, 'DigestMethod'));
  const badDigest =
    inReferences.some((element) => !SIGNATURE_DIGESTS.includes(attribute(element, 'Algorithm'))) ||
    descendants(root, 'DigestMethod').some((element) => !OAEP_DIGESTS.includes(attribute(element, 'Algorithm')));
  return badDigest ? 'its DigestMethod is not accepted; let the provider use SHA-256' : undefined;
}
