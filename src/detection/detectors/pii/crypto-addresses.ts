import { isBase58Check } from '../../../lib/base58.ts';

const ADDRESS_BYTES = 25;

/** Whether `text` is an address in Base58Check: a version, 20 bytes and a checksum (Bitcoin and kin). */
export function isBase58Address(text: string): boolean {
  return (
    text.length >= 26 &&
    text.length <= 35 &&
    '13LMDTXtmn2'.includes(text[0] as string) &&
    isBase58Check(text, ADDRESS_BYTES)
  );
}

const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const BECH32M = 0x2bc830a3;

/** Whether `text` is an address in Bech32 or Bech32m (BIP 173, BIP 350). */
export function isBech32Address(text: string): boolean {
  const lower = text.toLowerCase();
  const human = /^(?:bc|tb|ltc)(?=1)/.exec(lower)?.[0];
  if (human === undefined || lower.length < 26 || lower.length > 90) return false;
  let check = 1;
  const feed = (value: number): void => {
    const top = check >>> 25;
    check = ((check & 0x1ffffff) << 5) ^ value;
    for (let bit = 0; bit < 5; bit++) if ((top >>> bit) & 1) check ^= GENERATOR[bit] as number;
  };
  for (const char of human) feed(char.charCodeAt(0) >> 5);
  feed(0);
  for (const char of human) feed(char.charCodeAt(0) & 31);
  for (let at = human.length + 1; at < lower.length; at++) {
    const value = BECH32.indexOf(lower[at] as string);
    if (value < 0) return false;
    feed(value);
  }
  return check === 1 || check === BECH32M;
}
