import { SAML } from '@node-saml/node-saml';
import { decryptXml, getVerifiedXml } from '@node-saml/node-saml/lib/xml.js';
import { algorithmFault } from './saml-algorithms.ts';
import { readAssertion } from './saml-assertion.ts';
import type { ResponseCheck, ResponseOutcome } from './saml-messages.ts';
import { demand, Refused } from './saml-refused.ts';
import { screenXml } from './saml-screen.ts';
import { CLOCK_SKEW_MS } from './saml-times.ts';
import {
  ASSERTION,
  attribute,
  children,
  descendants,
  is,
  PROTOCOL,
  parseXml,
  textOf,
  type XmlElement,
} from './saml-xml.ts';

const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';
const NOT_GENUINE = 'no good signature by a certificate of the provider is on it, or it cannot be decrypted';

/**
 * Checks a response to a sign-in: node-saml decrypts it and checks signature, times and audience; the shape, the issuer,
 * Destination, Recipient and InResponseTo are checked here. What is read of the person stands in the bytes that were signed.
 * For a thread of its own: the parser takes quadratic time.
 */
export async function checkResponse(check: ResponseCheck): Promise<ResponseOutcome> {
  try {
    const root = await parseXml(check.xml).catch(() => undefined);
    demand(root !== undefined, 'it is no well-formed XML');
    checkEnvelope(root, check);
    const isGenuine = await checkEncrypted(root, check);
    const outcome = await read(check);
    return outcome.ok || isGenuine ? outcome : { ok: false, fault: NOT_GENUINE };
  } catch (error) {
    return refusalOf(error);
  }
}

async function read(check: ResponseCheck): Promise<ResponseOutcome> {
  try {
    return { ok: true, assertion: readAssertion(await parseXml(await verify(check)), check) };
  } catch (error) {
    return refusalOf(error);
  }
}

/** Only texts of our own leave: those of libraries may quote what came. */
function refusalOf(error: unknown): ResponseOutcome {
  return { ok: false, fault: error instanceof Refused ? error.message : NOT_GENUINE };
}

/** What stands around the assertion. It need not be signed: it can only make a response be refused. */
function checkEnvelope(root: XmlElement, check: ResponseCheck): void {
  demand(is(root, PROTOCOL, 'Response'), 'it is no SAML response');
  const [status] = children(root, PROTOCOL, 'Status').flatMap((element) => children(element, PROTOCOL, 'StatusCode'));
  const code = attribute(status, 'Value');
  demand(
    code === SUCCESS,
    `the provider answered ${/(\w{1,40})$/.exec(statusOf(status, code))?.[1] ?? 'without a status'}`,
  );
  // One assertion, and where it belongs: every form of signature wrapping needs a second one or another place.
  const plain = children(root, ASSERTION, 'Assertion');
  const encrypted = children(root, ASSERTION, 'EncryptedAssertion');
  const anywhere = [...descendants(root, 'Assertion'), ...descendants(root, 'EncryptedAssertion')];
  demand(plain.length + encrypted.length === 1, 'it must hold one assertion');
  demand(
    anywhere.length === 1 && descendants(root, 'Response').length === 0,
    'it holds more than one assertion or response',
  );
  demand(plain.length === 0 || !check.wantEncrypted, 'its assertion is not encrypted, as this connection demands');
  const destination = attribute(root, 'Destination');
  const signed = children(root, 'http://www.w3.org/2000/09/xmldsig#', 'Signature').length > 0;
  demand(destination === check.acsUrl || (destination === '' && !signed), 'its Destination is another address');
  demand(attribute(root, 'InResponseTo') === check.requestId, 'its InResponseTo names another request');
  const [issuer] = children(root, ASSERTION, 'Issuer');
  demand(issuer === undefined || textOf(issuer) === check.entityId, 'its issuer is another provider');
  const fault = algorithmFault(root);
  demand(fault === undefined, fault ?? '');
}

/** The second-level code says more, where there is one. */
function statusOf(status: XmlElement | undefined, code: string): string {
  const [inner] = children(status, PROTOCOL, 'StatusCode');
  return inner === undefined ? code : attribute(inner, 'Value');
}

/**
 * Looks into an encrypted assertion before node-saml does, by the same rules as for the rest. Nothing was found to be signed yet, and
 * CBC tells nobody what was changed: whoever caught an assertion could read it byte by byte, if the refusal told what is wrong inside
 * of it. So all of them are one. Returns whether more may be told: nothing came encrypted, or the provider's signature is on what did.
 * One around it proves nothing: whoever administers a connection of their own can sign what was caught from another's, and there is
 * one key for all.
 */
async function checkEncrypted(root: XmlElement, check: ResponseCheck): Promise<boolean> {
  const [encrypted] = children(root, ASSERTION, 'EncryptedAssertion');
  if (encrypted === undefined) return true;
  const xml = await decryptXml(encrypted.toString(), check.keys.privateKey);
  demand(screenXml(xml, { comments: 'refuse' }) === undefined, NOT_GENUINE);
  const assertion = await parseXml(xml);
  demand(is(assertion, ASSERTION, 'Assertion'), NOT_GENUINE);
  demand(descendants(assertion, 'Assertion').length === 0, NOT_GENUINE);
  demand(algorithmFault(assertion) === undefined, NOT_GENUINE);
  return getVerifiedXml(xml, assertion, [...check.certificates]) !== null;
}

/** The signed bytes of the assertion. Rejects where the signature, a time or the audience is not good. */
async function verify(check: ResponseCheck): Promise<string> {
  const saml = new SAML({
    issuer: check.audience,
    audience: check.audience,
    callbackUrl: check.acsUrl,
    idpCert: [...check.certificates],
    decryptionPvk: check.keys.privateKey,
    wantAssertionsSigned: check.signed === 'assertion' || check.signed === 'both',
    wantAuthnResponseSigned: check.signed === 'response' || check.signed === 'both',
    acceptedClockSkewMs: CLOCK_SKEW_MS,
  });
  try {
    const SAMLResponse = Buffer.from(check.xml).toString('base64');
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse });
    const xml = profile?.getAssertionXml?.();
    demand(xml !== undefined, NOT_GENUINE);
    return xml;
  } catch (error) {
    throw new Refused(meaningOf(error instanceof Error ? error.message : ''));
  }
}

/** node-saml's messages may quote the response. These are about times and audience, checked after the signature. */
function meaningOf(message: string): string {
  if (/not yet valid/.test(message)) return 'it is not valid yet; compare the clocks';
  if (/expired/.test(message)) return 'it has expired; compare the clocks';
  if (/audience/i.test(message)) return 'its audience is not this service; compare the entity ids';
  return NOT_GENUINE;
}
