import { SAML } from '@node-saml/node-saml';
import { decryptXml } from '@node-saml/node-saml/lib/xml.js';
import { algorithmFault, QUERY_SIGNATURES } from './saml-algorithms.ts';
import type { CheckedLogout, LogoutCheck, LogoutOutcome } from './saml-messages.ts';
import { demand, Refused } from './saml-refused.ts';
import { screenXml } from './saml-screen.ts';
import { CLOCK_SKEW_MS, isTimely, readInstant } from './saml-times.ts';
import {
  ASSERTION,
  attribute,
  children,
  descendants,
  is,
  PROTOCOL,
  parseXml,
  SIGNATURE,
  textOf,
  type XmlElement,
} from './saml-xml.ts';

/** How long a request counts after it was issued: so long is it remembered that it was used. */
const LIFETIME_MS = 5 * 60_000;
const NAME_CHARS_MAX = 1024;
const SESSIONS_MAX = 100;

const NOT_GENUINE = 'no good signature by a certificate of the provider is on it, or it cannot be decrypted';

/**
 * Checks a provider's request to end sessions: node-saml checks the signature, which covers all of it; shape, issuer,
 * Destination and times are checked here. For a thread of its own: the parser takes quadratic time.
 */
export async function checkLogout(check: LogoutCheck): Promise<LogoutOutcome> {
  try {
    const root = await parseXml(check.xml).catch(() => undefined);
    demand(root !== undefined, 'it is no well-formed XML');
    const expiresAtMs = checkRequest(root, check);
    const seen = await verify(check);
    const nameId = await nameOf(root, check);
    demand(nameId === seen, NOT_GENUINE);
    return { ok: true, logout: { id: attribute(root, 'ID'), expiresAtMs, nameId, sessions: sessionsOf(root) } };
  } catch (error) {
    // Only texts of our own leave: those of libraries may quote what came.
    return { ok: false, fault: error instanceof Refused ? error.message : NOT_GENUINE };
  }
}

/** By whom, for whom, when; returns until when it counts. What is found wrong here needs no signature to be refused. */
function checkRequest(root: XmlElement, check: LogoutCheck): number {
  demand(is(root, PROTOCOL, 'LogoutRequest'), 'it is no SAML logout request');
  demand(descendants(root, 'LogoutRequest').length === 0, 'it holds more than one request');
  checkSignatureShape(root, check);
  const id = attribute(root, 'ID');
  demand(id !== '' && id.length <= NAME_CHARS_MAX, 'it has no usable ID');
  const [issuer, ...others] = children(root, ASSERTION, 'Issuer');
  demand(textOf(issuer) === check.entityId && others.length === 0, 'its issuer is another provider');
  demand(attribute(root, 'Destination') === check.sloUrl, 'its Destination is another address');
  const fault = algorithmFault(root);
  demand(fault === undefined, fault ?? '');
  const issuedMs = readInstant(attribute(root, 'IssueInstant'));
  demand(issuedMs <= check.nowMs + CLOCK_SKEW_MS, 'it is not valid yet, or does not say when it was issued');
  const expiresAtMs = issuedMs + LIFETIME_MS + CLOCK_SKEW_MS;
  demand(check.nowMs < expiresAtMs && isTimely(root, check.nowMs), 'it has expired; compare the clocks');
  return expiresAtMs;
}

/** node-saml would take a query without a signature. */
function checkSignatureShape(root: XmlElement, { sent }: LogoutCheck): void {
  if (sent.binding === 'redirect') {
    demand(sent.parameters.Signature !== '', 'it is not signed');
    demand(
      QUERY_SIGNATURES.includes(sent.parameters.SigAlg),
      'its SigAlg is not accepted; let the provider use RSA with SHA-256',
    );
    return;
  }
  const own = children(root, SIGNATURE, 'Signature').length;
  demand(own > 0, 'it is not signed');
  demand(own === 1 && descendants(root, 'Signature').length === 1, 'it holds more than one signature');
}

/** The NameID as node-saml reads it. Rejects where the signature is not good. */
async function verify({ sent, ...check }: LogoutCheck): Promise<string | undefined> {
  const saml = new SAML({
    issuer: check.audience,
    callbackUrl: check.sloUrl,
    idpIssuer: check.entityId,
    idpCert: [...check.certificates],
    decryptionPvk: check.keys.privateKey,
    acceptedClockSkewMs: CLOCK_SKEW_MS,
  });
  const { profile } =
    sent.binding === 'post'
      ? await saml.validatePostRequestAsync({ SAMLRequest: sent.message })
      : await saml.validateRedirectAsync({ ...sent.parameters }, sent.query);
  return profile?.nameID;
}

async function nameOf(root: XmlElement, check: LogoutCheck): Promise<string> {
  const plain = children(root, ASSERTION, 'NameID');
  const [encrypted] = children(root, ASSERTION, 'EncryptedID');
  const [nameId] = encrypted === undefined ? plain : [await decrypt(encrypted, check)];
  const text = textOf(nameId) ?? '';
  demand(text !== '' && text.length <= NAME_CHARS_MAX, 'it does not say in one NameID whose sessions end');
  return text;
}

async function decrypt(encrypted: XmlElement, { keys }: LogoutCheck): Promise<XmlElement> {
  const xml = await decryptXml(encrypted.toString(), keys.privateKey);
  const fault = screenXml(xml, { comments: 'refuse' });
  demand(fault === undefined, fault ?? '');
  const nameId = await parseXml(xml);
  demand(is(nameId, ASSERTION, 'NameID'), 'what it encrypts is no NameID');
  return nameId;
}

function sessionsOf(root: XmlElement): CheckedLogout['sessions'] {
  const found = children(root, PROTOCOL, 'SessionIndex').map((element) => textOf(element) ?? '');
  demand(
    found.length <= SESSIONS_MAX && found.every((text) => text !== '' && text.length <= NAME_CHARS_MAX),
    `it must name at most ${SESSIONS_MAX} sessions, each by a SessionIndex`,
  );
  return found;
}
