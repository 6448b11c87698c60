import Type from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { isLoopbackHost } from '../lib/loopback.ts';
import { parsedUrl } from '../lib/parsed-url.ts';
import { CLAIMS_URI } from './claim-uris.ts';
import { isEmailDomain } from './formats.ts';

/**
 * Settings of a tenant's connection to an identity provider, as administrators write them and as they are stored. A secret in
 * them is sealed before it is stored and never shown again.
 */

const closed = { additionalProperties: false } as const;
const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength });
const Url = Text(2048);

/** The name of a claim or attribute, or several of which the first that came counts. `a.b` reaches into an object. */
const ClaimName = Type.Union([Text(512), Type.Array(Text(512), { minItems: 1, maxItems: 8 })]);
/** Never `owner`: owners are made by owners, not by whoever may set up a connection. */
const MappedRole = Type.Union([Type.Literal('admin'), Type.Literal('analyst'), Type.Literal('viewer')]);

const Mapping = Type.Object(
  {
    subject: Type.Optional(ClaimName),
    email: Type.Optional(ClaimName),
    name: Type.Optional(ClaimName),
    roles: Type.Optional(
      Type.Object(
        {
          claim: ClaimName,
          table: Type.Array(Type.Object({ value: Text(512), role: MappedRole }, closed), {
            minItems: 1,
            maxItems: 256,
          }),
        },
        closed,
      ),
    ),
    defaultRole: Type.Optional(MappedRole),
  },
  closed,
);

const PasswordPolicySchema = Type.Object(
  {
    minLength: Type.Integer({ minimum: 1, maximum: 1024 }),
    upperCase: Type.Boolean(),
    lowerCase: Type.Boolean(),
    digits: Type.Boolean(),
    symbols: Type.Boolean(),
    rotationDays: Type.Integer({ minimum: 0, maximum: 3650 }),
  },
  closed,
);

const common = {
  preset: Type.Optional(Type.Literal('adfs')),
  mapping: Type.Optional(Mapping),
  /** Whether people sign in there with a password. */
  passwordBased: Type.Boolean(),
  passwordPolicy: Type.Optional(PasswordPolicySchema),
  /** Where given, only addresses of these domains are let in. */
  emailDomains: Type.Optional(Type.Array(Text(253), { maxItems: 64 })),
};

const OidcSettingsSchema = Type.Object(
  {
    issuer: Url,
    clientId: Text(512),
    clientSecret: Type.Optional(Text(1024)),
    scopes: Type.Optional(Type.Array(Type.String({ pattern: '^[!#-\\[\\]-~]{1,128}$' }), { maxItems: 16 })),
    /** Whether the claims of the UserInfo endpoint are asked for, too. */
    userInfo: Type.Optional(Type.Boolean()),
    ...common,
  },
  closed,
);

const samlShape = {
  entityId: Text(1024),
  ssoUrl: Url,
  sloUrl: Type.Optional(Url),
  /** PEM or bare base64. A signature by any of them counts, so that a provider can change its key. */
  certificates: Type.Array(Text(16_384), { minItems: 1, maxItems: 8 }),
};

/** Where the provider's metadata is read from, and read again when it changes its key. */
const metadataUrl = Type.Optional(Url);

const samlOptions = {
  nameIdFormat: Type.Optional(Text(256)),
  signRequests: Type.Optional(Type.Boolean()),
  /** What the signature must be over; `either` unless given. */
  signed: Type.Optional(
    Type.Union([Type.Literal('either'), Type.Literal('assertion'), Type.Literal('response'), Type.Literal('both')]),
  ),
  /** Refuses assertions that came unencrypted. */
  wantEncrypted: Type.Optional(Type.Boolean()),
  ...common,
};

const SamlSettingsSchema = Type.Object({ ...samlShape, metadataUrl, ...samlOptions }, closed);
/** The same with the provider's metadata in place of what stands in it. */
const SamlFromMetadataSchema = Type.Object({ metadata: Text(131_072), metadataUrl, ...samlOptions }, closed);

export type ClaimMapping = Type.Static<typeof Mapping>;

export type OidcSettings = Type.Static<typeof OidcSettingsSchema>;
export type SamlSettings = Type.Static<typeof SamlSettingsSchema>;
export type SamlFromMetadata = Type.Static<typeof SamlFromMetadataSchema>;
export type SsoSettings = ({ kind: 'oidc' } & OidcSettings) | ({ kind: 'saml' } & SamlSettings);

export type SsoKind = 'oidc' | 'saml';
export type SsoState = 'draft' | 'enabled' | 'disabled';

/** A connection as it is used: of an enabled one the settings are whole. */
export type SsoConnection = {
  id: string;
  tenantId: string;
  name: string;
  state: SsoState;
  updatedAt: Date;
} & ({ kind: 'oidc'; settings: OidcSettings } | { kind: 'saml'; settings: SamlSettings });

export type Read<T> = { ok: true; value: T } | { ok: false; fault: string };

const oidc = Compile(OidcSettingsSchema);
const saml = Compile(SamlSettingsSchema);
const samlFromMetadata = Compile(SamlFromMetadataSchema);

export function readOidcSettings(value: unknown): Read<OidcSettings> {
  const read = check<OidcSettings>(oidc, value);
  return read.ok ? withGoodParts(read.value, [read.value.issuer]) : read;
}

export function readSamlSettings(value: unknown): Read<SamlSettings> {
  const read = check<SamlSettings>(saml, value);
  if (!read.ok) return read;
  const { ssoUrl, sloUrl, metadataUrl } = read.value;
  const urls = [ssoUrl, sloUrl, metadataUrl].filter((url) => url !== undefined);
  return withGoodParts(read.value, urls);
}

export function readSamlFromMetadata(value: unknown): Read<SamlFromMetadata> {
  return check<SamlFromMetadata>(samlFromMetadata, value);
}

/** What PostgreSQL's jsonb refuses: NUL, and half a surrogate pair. `JSON.stringify` writes both as escapes. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i;

function check<T>(validator: Validator, value: unknown): Read<T> {
  if (!validator.Check(value)) {
    const [error] = validator.Errors(value);
    return { ok: false, fault: `settings${error?.instancePath ?? ''} ${error?.message ?? 'must be an object'}` };
  }
  if (UNSTORABLE.test(JSON.stringify(value))) return { ok: false, fault: 'settings must hold well-formed text' };
  return { ok: true, value: value as T };
}

function withGoodParts<T extends OidcSettings | SamlSettings>(settings: T, urls: readonly string[]): Read<T> {
  const bad = urls.find((url) => !isProviderUrl(url));
  if (bad !== undefined)
    return {
      ok: false,
      fault: `${JSON.stringify(bad.slice(0, 200))} must be an https URL without credentials or fragment`,
    };
  const domain = settings.emailDomains?.find((name) => !isEmailDomain(name));
  if (domain !== undefined)
    return { ok: false, fault: `${JSON.stringify(domain)} must be a domain name in lower case` };
  return { ok: true, value: settings };
}

/** https, or http on this machine itself. */
export function isProviderUrl(text: string): boolean {
  const url = parsedUrl(text);
  if (url === undefined) return false;
  const { protocol, hostname, username, password, hash } = url;
  const safe = protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
  return safe && username === '' && password === '' && hash === '';
}

const PASSWORD_LENGTH_MIN = 12;
const ROTATION_DAYS_MAX = 365;

/** Why a password-based provider's policy is not enough, each reason one line; empty where it is. */
export function passwordPolicyFaults(settings: Pick<SsoSettings, 'passwordBased' | 'passwordPolicy'>): string[] {
  if (!settings.passwordBased) return [];
  const policy = settings.passwordPolicy;
  if (policy === undefined) return ['passwordPolicy must be stated, since passwordBased is true'];
  const faults: string[] = [];
  if (policy.minLength < PASSWORD_LENGTH_MIN) faults.push(`minLength must be at least ${PASSWORD_LENGTH_MIN}`);
  for (const name of ['upperCase', 'lowerCase', 'digits', 'symbols'] as const)
    if (!policy[name]) faults.push(`${name} must be demanded`);
  if (policy.rotationDays < 1 || policy.rotationDays > ROTATION_DAYS_MAX)
    faults.push(`rotationDays must be from 1 to ${ROTATION_DAYS_MAX}`);
  return faults;
}

const DEFAULTS: Record<SsoKind, ClaimMapping> = {
  oidc: { subject: 'sub', email: 'email', name: ['name', 'preferred_username'] },
  saml: {
    subject: 'NameID',
    email: ['email', 'mail', CLAIMS_URI.email, 'urn:oid:0.9.2342.19200300.100.1.3'],
    name: ['name', 'displayName', CLAIMS_URI.displayName, CLAIMS_URI.name, 'urn:oid:2.16.840.1.113730.3.1.241'],
  },
};

const ADFS: Record<SsoKind, ClaimMapping> = {
  oidc: { subject: 'sub', email: ['email', 'upn'], name: ['name', 'unique_name'] },
  saml: { subject: 'NameID', email: [CLAIMS_URI.email, CLAIMS_URI.upn], name: [CLAIMS_URI.name, CLAIMS_URI.givenName] },
};

/** The mapping in effect: what is set, else what the preset or the kind brings. Roles are only ever what is set. */
export function mappingOf(settings: SsoSettings): ClaimMapping {
  const base = (settings.preset === 'adfs' ? ADFS : DEFAULTS)[settings.kind];
  return { ...base, ...settings.mapping };
}

/** Over what this provider must sign. ADFS signs the assertion alone. */
export function signedPartOf(settings: SamlSettings): 'either' | 'assertion' | 'response' | 'both' {
  return settings.signed ?? (settings.preset === 'adfs' ? 'assertion' : 'either');
}
