import { type TokenFormat, token, tokenLike } from './token-format.ts';

const UUID = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';

/** Monitoring, feature flags and analytics; hashes and tickets of accounts. */
export const OPERATIONS_FORMATS: readonly TokenFormat[] = [
  token('newrelic_key', 'a New Relic user key', 'NRAK-', '[A-Z0-9]{27}'),
  token('newrelic_key', 'a New Relic admin key', 'NRAA-', '[a-f0-9]{27}'),
  token('newrelic_key', 'a New Relic insert key', 'NRII-', '[\\w-]{32}(?![\\w-])'),
  token('newrelic_key', 'a New Relic query key', 'NRIQ-|NRRA-|NRSP-', '[\\w-]{32,42}'),
  token('newrelic_browser_key', 'a New Relic browser key', 'NRJS-|NRBR-', '[a-f0-9]{19}', { severity: 'low' }),
  tokenLike(
    'newrelic_licence',
    'a New Relic licence key',
    ['NRAL'],
    '(?:[a-f0-9]{36}|[a-z]{2}\\d{2}xx[a-f0-9]{30})NRAL(?!\\w)',
    { lead: { chars: /[a-z0-9]/, charsMax: 36 } },
  ),
  token('pixie_key', 'a Pixie key', 'px-api-|px-dep-', UUID),
  token('grafana_token', 'a Grafana service-account token', 'glsa_', '[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}', {
    check: mixed,
  }),
  token('grafana_token', 'a Grafana Cloud token', 'glc_', '[A-Za-z0-9+/]{32,400}={0,3}', {
    check: (value) => value.startsWith('glc_eyJ'),
  }),
  token('grafana_key', 'a Grafana API key', 'eyJrIjoi', '[A-Za-z0-9+/]{60,400}={0,3}'),
  token('sentry_token', 'a Sentry organisation token', 'sntrys_eyJ', '[A-Za-z0-9=_+/]{80,400}'),
  token('sentry_token', 'a Sentry user token', 'sntryu_', '[a-f0-9]{64}'),
  token('sentry_secret', 'a Sentry internal token', 'sntryi_|sntrya_', '[a-f0-9]{64}'),
  token('honeycomb_key', 'a Honeycomb key', 'hcaik_|hcbik_|hcxik_|hcaic_|hcamk_', '[a-z0-9]{58,64}'),
  token('dynatrace_token', 'a Dynatrace token', 'dt0c01.|dt0s01.|dt0s08.|dt0s16.', '[A-Z0-9]{24}\\.[A-Z0-9]{64}'),
  token('posthog_key', 'a PostHog key', 'phx_|phr_|pha_', '[A-Za-z0-9]{40,64}'),
  // The seed of an account, user or server of NATS, in base 32.
  token('nats_seed', 'a NATS seed', 'SUA|SAA|SOA|SNA|SCA|SXA', '[A-Z2-7]{55}', { entropyBitsMin: 3.5 }),
  token('wundergraph_key', 'a WunderGraph key', 'cosmo_', '[a-f0-9]{32}'),
  token('defined_key', 'a Defined Networking key', 'dnkey-', '[A-Z2-7]{26}-[A-Z2-7]{52}'),
  token('posthog_project_key', 'a PostHog project key', 'phc_', '[A-Za-z0-9]{40,52}', { severity: 'low' }),
  token('launchdarkly_key', 'a LaunchDarkly key', 'api-|sdk-', UUID),
  token('axiom_token', 'an Axiom token', 'xaat-|xapt-|xait-', UUID),
  token('statsig_key', 'a Statsig key', 'secret-', '[A-Za-z0-9]{40,48}', { check: mixed }),
  token('logfire_token', 'a Logfire token', 'pylf_v1_|pylf_v2_', '[a-z]{2}_[A-Za-z0-9]{40,48}'),
  token('checkly_key', 'a Checkly key', 'cu_', '[a-f0-9]{32}'),
  token('rollbar_token', 'a Rollbar token', 'post_server_item_', '[a-f0-9]{32}'),
  token('coralogix_key', 'a Coralogix key', 'cxup_|cxtp_', '[A-Za-z0-9]{28,36}', { check: mixed }),
  token('unleash_token', 'an Unleash token', '*:', '[a-z*]{1,20}\\.[a-f0-9]{50,64}'),
  token('configcat_key', 'a ConfigCat key', 'configcat-sdk-1/', '[\\w-]{22}/[\\w-]{22}', { severity: 'low' }),
  token('password_hash', 'a password hash', '$2a$|$2b$|$2y$', '\\d{2}\\$[./A-Za-z0-9]{53}', {
    severity: 'medium',
    entropyBitsMin: 3.5,
  }),
  token(
    'password_hash',
    'a password hash',
    '$1$|$5$|$6$|$8$|$9$|$y$|$7$|$apr1$',
    '(?:[\\w=,]{1,24}\\$)?[./A-Za-z0-9]{1,24}\\$[./A-Za-z0-9]{22,90}',
    { severity: 'medium', entropyBitsMin: 3.5 },
  ),
  token(
    'password_hash',
    'a password hash',
    '$argon2id$|$argon2i$|$argon2d$|$scrypt$|$pbkdf2-sha256$|$pbkdf2-sha512$',
    '[\\w=,$+/.-]{40,300}',
    { severity: 'medium' },
  ),
  token(
    'password_hash',
    'a password hash',
    'pbkdf2_sha256$|pbkdf2_sha1$|bcrypt_sha256$|pbkdf2:sha256:|scrypt:',
    '[\\w$:./+=-]{40,300}',
    { severity: 'medium' },
  ),
  token('password_hash', 'a password hash', '{SSHA}|{SSHA256}|{SSHA512}|{SHA}', '[A-Za-z0-9+/]{26,120}={0,2}', {
    severity: 'medium',
  }),
  token('password_hash', 'a password hash', '$P$|$H$', '[./A-Za-z0-9]{31}', {
    severity: 'medium',
    entropyBitsMin: 3.5,
  }),
  token('password_hash', 'a password hash', '$S$', '[./A-Za-z0-9]{52}', { severity: 'medium', entropyBitsMin: 3.5 }),
  token(
    'password_hash',
    'a password verifier',
    'SCRAM-SHA-256$',
    '\\d{4,7}:[A-Za-z0-9+/=]{20,64}\\$[A-Za-z0-9+/=:]{80,100}',
    {
      severity: 'medium',
    },
  ),
  token(
    'password_hash',
    'a password hash',
    'mysql_native_password',
    '[\'"`]? (?:as|by password) [\'"](\\*[A-F0-9]{40})',
    {
      severity: 'medium',
    },
  ),
  token(
    'kerberos_ticket',
    'a Kerberos ticket',
    '$krb5asrep$|$krb5tgs$|$krb5pa$',
    '[^\\s]{2,160}[:$][a-fA-F0-9$]{32,2000}',
  ),
  tokenLike(
    'windows_hash',
    'a Windows password hash',
    [':::'],
    '\\w{1,40}:\\d{1,10}:[a-fA-F0-9]{32}:[a-fA-F0-9]{32}:::',
    { lead: { chars: /[\w:]/, charsMax: 117 } },
  ),
];

function mixed(value: string): boolean {
  return /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value);
}
