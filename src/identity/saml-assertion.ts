import { setClaim } from '../domain/claim-mapping.ts';
import type { CheckedAssertion, ResponseCheck } from './saml-messages.ts';
import { demand } from './saml-refused.ts';
import { endOf, isTimely } from './saml-times.ts';
import { ASSERTION, attribute, children, is, textOf, type XmlElement } from './saml-xml.ts';

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
/** Asked for, it leaves the format to the provider. */
const UNSPECIFIED = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';
const ID_CHARS_MAX = 256;

/** Reads an assertion whose signature is good, and refuses it unless it is by whom, for whom and about what it should be. */
export function readAssertion(root: XmlElement, check: ResponseCheck): CheckedAssertion {
  demand(is(root, ASSERTION, 'Assertion'), 'what is signed is no assertion');
  const [issuer, ...others] = children(root, ASSERTION, 'Issuer');
  demand(textOf(issuer) === check.entityId && others.length === 0, 'its issuer is another provider');
  const id = attribute(root, 'ID');
  demand(id !== '' && id.length <= ID_CHARS_MAX, 'its assertion has no usable ID');
  const [conditions] = children(root, ASSERTION, 'Conditions');
  demand(isTimely(conditions, check.nowMs), 'it has expired, is not valid yet, or states no conditions');
  demand(names(conditions, check.audience), 'its audience is not this service; compare the entity ids');
  const [subject, ...more] = children(root, ASSERTION, 'Subject');
  demand(subject !== undefined && more.length === 0, 'it must be about one subject');
  const expiresAtMs = confirm(subject, check);
  const [nameId] = children(subject, ASSERTION, 'NameID');
  const [statement] = children(root, ASSERTION, 'AuthnStatement');
  demand(statement !== undefined, 'it does not say that anybody signed in');
  const until = attribute(statement, 'SessionNotOnOrAfter');
  demand(until === '' || check.nowMs < endOf(until), 'the session at the provider is over');
  return {
    id,
    claims: claimsOf(root, namesSomebody(nameId, check) ? nameId : undefined),
    expiresAtMs,
    nameId: textOf(nameId) ?? '',
    nameIdFormat: attribute(nameId, 'Format'),
    nameQualifier: attribute(nameId, 'NameQualifier'),
    spNameQualifier: attribute(nameId, 'SPNameQualifier'),
    sessionIndex: attribute(statement, 'SessionIndex'),
    ...(until === '' ? {} : { overAtMs: endOf(until) }),
  };
}

/** When the confirmation of the subject ends: it must be for us, about our request, and still good (SAML profiles §4.1.4.3). */
function confirm(subject: XmlElement, check: ResponseCheck): number {
  const data = children(subject, ASSERTION, 'SubjectConfirmation')
    .filter((confirmation) => attribute(confirmation, 'Method') === BEARER)
    .flatMap((confirmation) => children(confirmation, ASSERTION, 'SubjectConfirmationData'));
  demand(data.length > 0, 'its subject is not confirmed for a browser (bearer)');
  const ours = data.filter((one) => attribute(one, 'Recipient') === check.acsUrl);
  demand(ours.length > 0, 'its Recipient is another address');
  const asked = ours.filter((one) => attribute(one, 'InResponseTo') === check.requestId);
  demand(asked.length > 0, 'its InResponseTo names another request');
  const timely = asked.find((one) => attribute(one, 'NotOnOrAfter') !== '' && isTimely(one, check.nowMs));
  demand(timely !== undefined, 'its confirmation has expired or is not valid yet; compare the clocks');
  return endOf(attribute(timely, 'NotOnOrAfter'));
}

/**
 * Whether the NameID may stand for the person. A transient one is another one each time. A request of ours can be changed by whoever
 * carries it: another format than the one that was asked for is perhaps one that they fill in themselves, with somebody's name.
 */
function namesSomebody(nameId: XmlElement | undefined, { nameIdFormat = UNSPECIFIED }: ResponseCheck): boolean {
  const format = attribute(nameId, 'Format');
  return format !== TRANSIENT && (nameIdFormat === UNSPECIFIED || format === nameIdFormat);
}

/** Every restriction must name us. */
function names(conditions: XmlElement | undefined, audience: string): boolean {
  const restrictions = children(conditions, ASSERTION, 'AudienceRestriction');
  return (
    restrictions.length > 0 &&
    restrictions.every((one) => children(one, ASSERTION, 'Audience').some((element) => textOf(element) === audience))
  );
}

/** By the attributes' names. One value or several: it makes no difference here. */
function claimsOf(root: XmlElement, nameId: XmlElement | undefined): Map<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const statement of children(root, ASSERTION, 'AttributeStatement')) {
    for (const element of children(statement, ASSERTION, 'Attribute')) {
      const texts = children(element, ASSERTION, 'AttributeValue').flatMap((value) => textOf(value) ?? []);
      const name = attribute(element, 'Name');
      values.set(name, [...(values.get(name) ?? []), ...texts]);
    }
  }
  const claims = new Map<string, readonly string[]>();
  for (const [name, texts] of values) setClaim(claims, name, texts);
  // Last, so that no attribute can pass for it.
  claims.delete('NameID');
  const text = textOf(nameId);
  if (text !== undefined) claims.set('NameID', [text]);
  return claims;
}
