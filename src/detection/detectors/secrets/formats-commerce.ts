import { isBase58Check } from '../../../lib/base58.ts';
import { type TokenFormat, token, tokenLike } from './token-format.ts';

const UUID = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';
const critical = { severity: 'critical' } as const;
const test = { severity: 'low' } as const;

/** Payments, shops, and the services of an office. */
export const COMMERCE_FORMATS: readonly TokenFormat[] = [
  token('stripe_key', 'a Stripe live key', 'sk_live_|rk_live_|rk_prod_|sk_prod_', '[A-Za-z0-9]{16,247}', critical),
  token('stripe_test_key', 'a Stripe test key', 'sk_test_|rk_test_', '[A-Za-z0-9]{16,247}', test),
  token('stripe_webhook_secret', 'a Stripe web-hook secret', 'whsec_', '[A-Za-z0-9+/=]{32,80}', { check: mixed }),
  token('square_token', 'a Square access token', 'sq0atp-', '[\\w-]{22}(?![\\w-])', critical),
  token('square_secret', 'a Square OAuth secret', 'sq0csp-', '[\\w-]{43}(?![\\w-])', critical),
  token('square_token', 'a Square access token', 'EAAA', '[\\w-]{60}(?![\\w-])', {
    ...critical,
    check: mixed,
    entropyBitsMin: 4,
  }),
  token(
    'braintree_token',
    'a Braintree access token',
    'access_token$production$|access_token$sandbox$',
    '[0-9a-z]{16}\\$[0-9a-f]{32}',
    critical,
  ),
  token('paypal_token', 'a PayPal access token', 'A21AA', '[\\w-]{70,120}', { check: mixed }),
  token('razorpay_key', 'a Razorpay key id', 'rzp_live_', '[A-Za-z0-9]{14}', { severity: 'medium' }),
  token('flutterwave_key', 'a Flutterwave secret key', 'FLWSECK-|FLWSECK_TEST-', '[a-zA-Z0-9]{12,36}(?:-X)?'),
  token('adyen_key', 'an Adyen key', 'AQE', '[\\w+/=.{}<>()-]{60,200}', {
    // Its two parts are apart by a dash: without it, it is a line of a certificate.
    check: (key) => mixed(key) && key.includes('-'),
    confidence: 0.6,
    entropyBitsMin: 4.5,
  }),
  token('plaid_token', 'a Plaid access token', 'access-', `(?:sandbox|development|production)-${UUID}`, critical),
  token('payment_key', 'a payment provider key', 'live_', '[A-Za-z0-9_-]{30,60}(?![\\w-])', {
    check: mixed,
    confidence: 0.8,
    entropyBitsMin: 4,
  }),
  token('shippo_token', 'a Shippo token', 'shippo_live_|shippo_test_', '[a-fA-F0-9]{40}'),
  token('easypost_key', 'an EasyPost key', 'EZAK|EZTK', '[A-Za-z0-9]{54}(?![\\w+/])', { check: mixed }),
  token('lob_key', 'a Lob key', 'live_pub_|test_pub_', '[a-f0-9]{31}', { severity: 'low' }),
  token('duffel_token', 'a Duffel token', 'duffel_live_|duffel_test_', '[\\w-]{43}(?![\\w-])'),
  token(
    'paddle_key',
    'a Paddle key',
    'pdl_live_apikey_|pdl_sdbx_apikey_',
    '[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}',
  ),
  token('checkout_key', 'a Checkout.com key', 'sk_sbox_', '[a-z0-9]{26,27}', test),
  token('klarna_key', 'a Klarna key', 'klarna_live_api_|klarna_test_api_', '[\\w!()*-]{40,200}'),
  token('polar_token', 'a Polar token', 'polar_oat_|polar_pat_', '[A-Za-z0-9]{36,48}'),
  token('shopify_token', 'a Shopify token', 'shpat_|shpca_|shppa_|shpss_|shptka_|shpua_|shprt_', '[A-Za-z0-9]{32,64}', {
    ...critical,
    check: (value) => /\d/.test(value),
  }),
  token('shopify_token', 'a Shopify app token', 'atkn_|shpit_', '[A-Za-z0-9]{32,80}'),
  token('alchemy_key', 'an Alchemy key', 'alcht_', '[A-Za-z0-9]{28,34}'),
  token('fleetbase_key', 'a Fleetbase key', 'flb_live_', '[A-Za-z0-9]{20}', { check: mixed }),
  token('teamwork_token', 'a Teamwork token', 'tkn.v1_', '[A-Za-z0-9+/]{40,120}={0,2}(?!\\w)'),
  token('airtable_token', 'an Airtable token', 'pat', '[A-Za-z0-9]{14}\\.[a-f0-9]{64}'),
  token('notion_token', 'a Notion token', 'ntn_', '\\d{11}[A-Za-z0-9]{35}', { check: mixed }),
  token('linear_key', 'a Linear key', 'lin_api_', '[A-Za-z0-9]{40}'),
  token('linear_token', 'a Linear token', 'lin_oauth_|lin_wh_', '[A-Za-z0-9]{40,64}'),
  token('figma_token', 'a Figma token', 'figd_|figu_|figo_|figor_|figoh_', '[\\w-]{40,60}(?![\\w-])'),
  token('dropbox_token', 'a Dropbox token', 'sl.', '(?:u\\.)?[\\w-]{130,1400}', { check: mixed }),
  token('hubspot_token', 'a HubSpot token', 'pat-na1-|pat-na2-|pat-eu1-|pat-ap1-', UUID),
  token('typeform_token', 'a Typeform token', 'tfp_', '[\\w.=-]{44,80}'),
  token('readme_key', 'a ReadMe key', 'rdme_', '[a-z0-9]{60,70}'),
  token('contentful_token', 'a Contentful token', 'CFPAT-', '[\\w-]{43,60}'),
  token('clickup_token', 'a ClickUp token', 'pk_', '\\d{4,12}_[A-Z0-9]{32}'),
  token('trello_token', 'a Trello token', 'ATTA', '[a-f0-9]{64,72}'),
  token('asana_token', 'an Asana token', '1/', '\\d{15,17}(?:/\\d{15,17})?:[a-f0-9]{32}'),
  token('asana_token', 'an Asana token', '2/', '\\d{15,17}/\\d{15,17}:[a-f0-9]{32}'),
  token('mapbox_token', 'a Mapbox secret token', 'sk.eyJ1', '[\\w-]{40,300}\\.[\\w-]{20,60}'),
  token('mapbox_public_token', 'a Mapbox public token', 'pk.eyJ1|tk.eyJ1', '[\\w-]{40,300}\\.[\\w-]{20,60}', test),
  tokenLike(
    'salesforce_token',
    'a Salesforce session',
    ['!AQ', '!CJ', '!AR'],
    '00D[A-Za-z0-9]{12,15}!(?:AQ|AR|CJ)[\\w.]{60,200}',
    { lead: { chars: /[A-Za-z0-9]/, charsMax: 18 } },
  ),
  token('zoho_token', 'a Zoho token', '1000.', '[a-f0-9]{32}\\.[a-f0-9]{32}'),
  token('frameio_token', 'a Frame.io token', 'fio-u-', '[\\w=-]{64}(?![\\w-])'),
  token('adobe_secret', 'an Adobe client secret', 'p8e-|p8-', '[\\w-]{32}(?![\\w-])', { check: mixed }),
  token('ebay_token', 'an eBay token', 'v^1.1#i^1#', '[\\w^#+/=]{80,2000}'),
  token('intra42_secret', 'a 42 application secret', 's-s4t2ud-|s-s4t2af-|u-s4t2ud-', '[a-f0-9]{64}'),
  token('adafruit_key', 'an Adafruit IO key', 'aio_', '[A-Za-z0-9]{28}', { check: mixed }),
  token('beamer_token', 'a Beamer token', 'b_', '[A-Za-z0-9=_/-]{44}(?![\\w-])', {
    check: mixed,
    confidence: 0.6,
    entropyBitsMin: 4.2,
  }),
  tokenLike('maxmind_key', 'a MaxMind licence key', ['_mmk'], '[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?!\\w)', {
    lead: { chars: /\w/, charsMax: 36 },
  }),
  token('wakatime_key', 'a WakaTime key', 'waka_', UUID),
  token('pushbullet_token', 'a Pushbullet token', 'o.', '[A-Za-z0-9]{32}(?![\\w.(])', {
    check: mixed,
    confidence: 0.7,
    entropyBitsMin: 4.1,
  }),
  token('ory_token', 'an Ory token', 'ory_pat_|ory_at_|ory_rt_|ory_st_', '[\\w.-]{30,100}'),
  token('stytch_secret', 'a Stytch secret', 'secret-live-|secret-test-', '[\\w=-]{36}'),
  token('workos_key', 'a WorkOS key', 'sk_live_a2V5|sk_test_a2V5', '[A-Za-z0-9+/=]{40,120}'),
  token('lichess_token', 'a Lichess token', 'lip_', '[A-Za-z0-9]{20}', { check: mixed }),
  token('buttondown_key', 'a Buttondown key', 'bdn_', '[A-Za-z0-9]{32,48}'),
  token(
    'wallet_key',
    'the extended private key of a wallet',
    'xprv|yprv|zprv|tprv|uprv|vprv',
    '[1-9A-HJ-NP-Za-km-z]{107}',
    {
      ...critical,
      check: (value) => isBase58Check(value, EXTENDED_KEY_BYTES),
    },
  ),
];

/** BIP 32: version, depth, parent, index, chain code, key and checksum. */
const EXTENDED_KEY_BYTES = 82;

function mixed(value: string): boolean {
  return /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value);
}
