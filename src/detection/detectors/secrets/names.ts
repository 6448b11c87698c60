import { memoized } from '../../../lib/memo.ts';

/** What a name says of its value: a password, a generated secret, or perhaps one. */
export type NameStrength = 'password' | 'secret' | 'weak';

/** Pieces of names that are worth reading around. */
export const NAME_MARKS = (
  'password passwd passphrase passcode pass pwd psw paswd pasword passwort kennwort senha contrasena motdepasse ' +
  'mot_de_passe wachtwoord parola haslo losenord secret token key credential creds auth bearer jwt ' +
  'login cookie session signature psk _pat pw salt seed mnemonic webhook sas_ access license licence ' +
  'p12 pfx pkcs12 keystore keymaterial crumb reporter_id requirepass masterauth bindpw rootpw'
).split(' ');

/** Who issues keys: with one in its name, a value is more likely to be one. */
export const ISSUERS = (
  'adafruit algolia amplitude appveyor artifactory asana assemblyai atlassian auth0 azure beamer ' +
  'binance bitbucket bitfinex bitly bittrex blynk bugsnag cloudflare clickhouse clojars cloudsmith ' +
  'codeclimate codecov cohere coinbase confluence contentful coveralls datadog deepgram deepl ' +
  'deepseek digitalocean discord dropbox dynatrace elastic etsy facebook fastly figma finicity ' +
  'finnhub flickr freshdesk giphy gitter hashicorp heroku hubspot infura intercom jenkins jfrog ' +
  'helpscout imagekit ipstack jira kraken kucoin linkedin lokalise loggly logdna mailchimp mailgun mailjet mapbox ' +
  'meraki messagebird newsapi onesignal openweather owm_ pandadoc pipedrive pyowm recaptcha ' +
  'mistral mixpanel moonshot netlify newrelic new_relic nytimes okta opsgenie pagerduty particle ' +
  'plaid postmark pusher rapidapi rollbar saucelabs sauce_ scraperapi sendbird sendgrid sentry ' +
  'shodan shutterstock smartsheet snyk sonar sourcegraph splunk spotify squarespace strava sumologic sumo_ supabase ' +
  'telegram thingsboard travis trello twilio twitch twitter typeform unsplash vercel virustotal ' +
  'wandb yandex zendesk zoho'
).split(' ');

const PASSWORD =
  /(?:password|pword|passwd|passphrase|passcode|passwrd|pass?wo?r?d|ps?swo?r?d|pwd|psw|passwort|kennwort|senha|contrasena|motdepasse|wachtwoord|parola|haslo|losenord|psk|keymaterial|requirepass|masterauth|bindpw|rootpw|authtok)$/;
const SHORT_PASSWORD =
  /(?:^|[^A-Za-z])(?:pass|[pP][wW])$|^Pass$|[a-z]Pass$|[A-Z_]PASS$|(?:db|user|auth|smtp|mail|ftp|admin|root|sql|login|sudo|my)pass$/;
const SECRET =
  /(?:secret|token|(?:api|access|secret|private|auth|authentication|sign|signing|encryption|encrypt|crypt|master|account|shared|license|licence|service|server|session|deploy|consumer|client|storage|app|application|admin|user|rest|write|ingest|integration|stream|subscription|primary|secondary|preshared|host|function|hmac|jwt|developer|dev|enc|cookie|data|security|root|backend|io|developer)key|keysecret|credentials?|creds|bearer|jwt|authorization|mnemonic|cookiesecret|salt|webhook|(?:p12|pfx|pkcs12|keystore)(?:file|data|content|contents|cert)?|jenkinscrumb|testreporterid|accesskeyid|secretkeybase|secretid|auth|accesstoken\w{0,3})$/;
const WEAK = /(?:key|login|access|session|sessionid|sessid|sid|cookie|seed|pat|sig|sas|id|api|dsn)$/;

/**
 * Names of what everybody may know, or of what is no value: `public_key`, `next_page_token`, `password_field`. By words, joined
 * with `_`: `vendor_token` does not end in `end_token`.
 */
const HARMLESS = new RegExp(
  [
    'site_?verification|public|hashed_(?:secret|password|token)|pub_?key|publishable|application_?server_?key|csrf|xsrf|anti_?forgery|request_?verification|authenticity|fingerprint|thumbprint|checksum',
    '(?:^|_)(?:(?:next_?)?page|next|continuation|cursor|sync|max|min|num|input|output|total|stop|start|end|pad|mask|type)_?tokens?$',
    '(?:^|_)(?:foreign|partition|sort|row|cache|idempotency|dedup[a-z_]{0,10}|object|s3|bucket|routing|hot|site|host|order|map)_?key$',
    '(?:^|_)(?:index|lookup|translation|i18n|registry|group|message|composite|mon|tur|whis|hoc|don|joc)_?key$',
    '(?:^|_)(?:forgot|reset|invalid|incorrect|wrong|missing|confirm|repeat|retype|verify|show|hide|toggle)_?(?:your_?)?password$|(?:^|_)no_?pass(?:word|wd)?$',
    '(?<!access_?)key_?id$|token_?type$|key_?word$|(?:^|_)author$',
  ].join('|'),
);
const QUALIFIED =
  /(?:\d{1,3}|value|val|string|str|raw|plaintext|default|prod|production|dev|staging|live|old|new|current|b64|base64|hex)$/;

/** Most characters of a name that count. */
export const NAME_CHARS_MAX = 96;

/** What `name` says of its value; `undefined` where it says nothing. */
export const strengthOf = memoized(computeStrength);

function computeStrength(name: string): NameStrength | undefined {
  const words = name
    .replace(/([a-z\d])(?=[A-Z])/g, '$1_')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/_$/, '');
  if (HARMLESS.test(words)) return undefined;
  let flat = words.replaceAll('_', '');
  if (SHORT_PASSWORD.test(name.replace(/[\d_-]+$/, ''))) return 'password';
  for (let round = 0; round < 3; round++) {
    if (PASSWORD.test(flat)) return 'password';
    if (SECRET.test(flat)) return 'secret';
    const shorter = flat.replace(QUALIFIED, '');
    if (shorter === flat) break;
    flat = shorter;
  }
  const issued = ISSUERS.some((issuer) => flat.includes(issuer.replace('_', '')));
  if (issued)
    return /(?:key|login|access|id|api|token|sid|pat|auth)$/.test(flat)
      ? 'secret'
      : isIssuerOnly(flat)
        ? 'weak'
        : undefined;
  return WEAK.test(flat) && !/(?:id|api|dsn|sid|access)$/.test(flat) ? 'weak' : undefined;
}

function isIssuerOnly(flat: string): boolean {
  return ISSUERS.some((issuer) => issuer.replace('_', '') === flat);
}
