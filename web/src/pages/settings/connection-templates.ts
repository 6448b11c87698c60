export type Preset = 'oidc' | 'saml' | 'adfs' | 'adfs-oidc';

interface Template {
  label: string;
  kind: 'OIDC' | 'SAML';
  /** JSON text. */
  settings: string;
}

const json = (settings: object) => JSON.stringify(settings, null, 2);
const mapping = { defaultRole: 'viewer' };
const passwordPolicy = {
  minLength: 14,
  upperCase: true,
  lowerCase: true,
  digits: true,
  symbols: true,
  rotationDays: 180,
};
const saml = { metadataUrl: 'https://' };
const oidc = { issuer: 'https://', clientId: '', clientSecret: '', passwordBased: false, mapping };

/** What a new connection begins with. */
export const TEMPLATES: Record<Preset, Template> = {
  oidc: { label: 'OpenID Connect', kind: 'OIDC', settings: json(oidc) },
  saml: { label: 'SAML', kind: 'SAML', settings: json({ ...saml, passwordBased: false, mapping }) },
  adfs: {
    label: 'ADFS over SAML',
    kind: 'SAML',
    settings: json({ ...saml, preset: 'adfs', passwordBased: true, passwordPolicy, mapping }),
  },
  'adfs-oidc': {
    label: 'ADFS over OpenID Connect',
    kind: 'OIDC',
    settings: json({ ...oidc, preset: 'adfs', passwordBased: true, passwordPolicy }),
  },
};
