import { type KeyObject, randomBytes, sign } from 'node:crypto';

/**
 * A certificate around an RSA key, signed by that key: the form in which SAML metadata carries keys. Nobody trusts it for
 * anything but the key in it. Node can read certificates and not make them, hence these few lines of DER (X.690, RFC 5280).
 */

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const EXPLICIT_0 = 0xa0;
const SHA256_WITH_RSA = Buffer.from('300d06092a864886f70d01010b0500', 'hex');
const COMMON_NAME = Buffer.from('0603550403', 'hex');

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const digits = body.length.toString(16);
  const length = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body]);
}

/** Two digits of the year until 2049, four from then on: RFC 5280 §4.1.2.5. */
function time(at: Date): Buffer {
  const digits = `${at.toISOString().replace(/[-:T]|\.\d+Z$/g, '')}Z`;
  return at.getUTCFullYear() < 2050
    ? der(UTC_TIME, Buffer.from(digits.slice(2)))
    : der(GENERALIZED_TIME, Buffer.from(digits));
}

/** In PEM. */
export function selfSignedCertificate(
  { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject },
  { name, from, years }: { name: string; from: Date; years: number },
): string {
  const until = new Date(from);
  until.setUTCFullYear(until.getUTCFullYear() + years);
  const subject = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, Buffer.from(name)))));
  // Positive and not zero: RFC 5280 §4.1.2.2.
  const serial = Buffer.concat([Buffer.from([0x01]), randomBytes(15)]);
  const unsigned = der(
    SEQUENCE,
    der(EXPLICIT_0, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, serial),
    SHA256_WITH_RSA,
    subject,
    der(SEQUENCE, time(from), time(until)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = sign('sha256', unsigned, privateKey);
  const certificate = der(SEQUENCE, unsigned, SHA256_WITH_RSA, der(BIT_STRING, Buffer.from([0]), signature));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
