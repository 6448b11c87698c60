import { errors } from 'jose';
import { isNumericDate, LEEWAY_SECONDS } from './claims.ts';

/** Why a token is refused, in words that say what to mend and repeat nothing of the token but its times. */
export interface Refusal {
  detail: string;
  /** Unix milliseconds until which the reason holds. */
  untilMs: number;
}

export const KEY_NOT_ACTIVE =
  'the key that signed the token is unknown here or retired; mint another one with: gatehouse token (with the GATEHOUSE_DATA_DIR of this service)';
export const MALFORMED_CLAIMS = 'the claims of the token are malformed; send the token exactly as it was minted';
export const OTHER_INTERFACE = 'the token is for another interface; use one minted for this one';
export const REVOKED = 'the token was revoked; use another one';

/** A refusal that time does not mend. */
export function lasting(detail: string): Refusal {
  return { detail, untilMs: Number.POSITIVE_INFINITY };
}

/** @param expiresAt Unix seconds. */
export function expired(expiresAt: number): Refusal {
  return lasting(`the token expired at ${dateTime(expiresAt)}; mint another one with: gatehouse token`);
}

/** @param from Unix seconds, leeway included. */
export function notYetValid(from: number): Refusal {
  return { detail: `the token is not valid before ${dateTime(from)}; check the clocks`, untilMs: from * 1000 };
}

/** Turns jose's reason into ours. Anything but jose's own errors is a defect, and passes. */
export function describeFailure(error: unknown): Refusal {
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return lasting('the signature of the token is wrong; send the token exactly as it was minted');
  }
  if (error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed)
    return describeClaim(error);
  if (error instanceof errors.JOSEError) return lasting(MALFORMED_CLAIMS);
  throw error;
}

function describeClaim({ claim, reason, payload }: errors.JWTExpired | errors.JWTClaimValidationFailed): Refusal {
  if (reason === 'missing')
    return lasting(`the token lacks the claim "${claim}"; mint another one with: gatehouse token`);
  const time = payload[claim];
  if (reason === 'check_failed' && isNumericDate(time)) {
    if (claim === 'exp') return expired(time);
    if (claim === 'nbf') return notYetValid(time - LEEWAY_SECONDS);
  }
  return lasting(
    CLAIM_FAULTS[claim] ?? `the claim "${claim}" of the token is malformed; mint another one with: gatehouse token`,
  );
}

const CLAIM_FAULTS: Readonly<Record<string, string>> = {
  iss: 'the token was issued by another installation; mint one with: gatehouse token (with the GATEHOUSE_DATA_DIR of this service)',
  aud: OTHER_INTERFACE,
};

function dateTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
