import {
  type OidcSettings,
  type Read,
  readOidcSettings,
  readSamlFromMetadata,
  readSamlSettings,
  type SamlSettings,
  type SsoKind,
} from '../domain/sso.ts';
import { readCertificate } from '../identity/saml-metadata.ts';
import type { Seal } from '../identity/sealed.ts';
import type { StoredConnection } from '../store/sso-connections.ts';
import { openConnection } from './sso-connection.ts';
import type { SsoOptions } from './sso-flow.ts';

/** Settings of a connection as administrators give them, made whole. */

export interface SettingsSources {
  saml: SsoOptions['saml'];
  /** The text at an address that a tenant named. @throws {OutboundRefused} */
  fetchMetadata: (url: string) => Promise<string>;
}

export async function readSettings(
  options: SettingsSources,
  kind: SsoKind,
  given: unknown,
): Promise<Read<OidcSettings | SamlSettings>> {
  const { saml } = options;
  if (kind === 'oidc') return readOidcSettings(given);
  const fetched = await withFetchedMetadata(options, given);
  if (!fetched.ok) return fetched;
  const settings = fetched.value;
  if (typeof settings !== 'object' || settings === null || !('metadata' in settings))
    return withCertificates(readSamlSettings(settings));
  const read = readSamlFromMetadata(settings);
  if (!read.ok) return read;
  const { metadata, ...rest } = read.value;
  const outcome = await saml.readMetadata(metadata);
  return outcome.ok ? withCertificates(readSamlSettings({ ...rest, ...outcome.metadata })) : outcome;
}

/** An address of metadata alone stands for what is there now. */
export async function withFetchedMetadata(
  { fetchMetadata }: SettingsSources,
  settings: unknown,
): Promise<Read<unknown>> {
  if (typeof settings !== 'object' || settings === null || !('metadataUrl' in settings))
    return { ok: true, value: settings };
  const isWhole = 'metadata' in settings || 'certificates' in settings;
  if (isWhole || typeof settings.metadataUrl !== 'string') return { ok: true, value: settings };
  try {
    return { ok: true, value: { ...settings, metadata: await fetchMetadata(settings.metadataUrl) } };
  } catch (error) {
    return { ok: false, fault: `the metadata could not be fetched: ${(error as Error).message}` };
  }
}

/** Stored as PEM, each found to be one. */
function withCertificates(read: Read<SamlSettings>): Read<SamlSettings> {
  if (!read.ok) return read;
  const certificates = read.value.certificates.flatMap((text) => readCertificate(text) ?? []);
  if (certificates.length < read.value.certificates.length)
    return {
      ok: false,
      fault: 'each of settings/certificates must be a certificate with an RSA key of 2,048 bits or more',
    };
  return { ok: true, value: { ...read.value, certificates } };
}

/** A secret goes with the issuer it was given for: it is never sent to another one. */
export function withOldSecret(seal: Seal, row: StoredConnection, settings: unknown): unknown {
  if (typeof settings !== 'object' || settings === null || 'clientSecret' in settings) return settings;
  const old = openConnection(seal, row);
  if (old?.kind !== 'oidc' || old.settings.clientSecret === undefined) return settings;
  const same = 'issuer' in settings && settings.issuer === old.settings.issuer;
  return same ? { ...settings, clientSecret: old.settings.clientSecret } : settings;
}
