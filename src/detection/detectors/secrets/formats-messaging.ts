import { type TokenFormat, token, tokenLike } from './token-format.ts';

const UUID = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';

/** Chat, mail, telephony and social networks, with the web hooks that let anybody write there. */
export const MESSAGING_FORMATS: readonly TokenFormat[] = [
  token('slack_token', 'a Slack bot token', 'xoxb-', '\\d{8,14}-(?:\\d{8,14}-)?[A-Za-z0-9]{18,34}(?![\\w-])', {
    check: lettered,
  }),
  token(
    'slack_token',
    'a Slack user token',
    'xoxp-|xoxe-|xoxr-',
    '\\d{8,14}-\\d{8,14}-(?:\\d{8,14}-)?[a-zA-Z0-9]{28,64}(?![\\w-])',
  ),
  token(
    'slack_token',
    'a Slack workspace token',
    'xoxa-|xoxr-|xoxo-|xoxs-',
    '(?:\\d-)?[0-9A-Za-z]{8,48}(?:-[0-9a-zA-Z]{6,64}){0,4}',
    { check: lettered },
  ),
  token('slack_token', 'a Slack configuration token', 'xoxe.xoxp-|xoxe.xoxb-', '\\d-[A-Z0-9]{100,200}', {
    check: (value) => /\d[A-Z]/i.test(value.slice(12)),
  }),
  token('slack_token', 'a Slack refresh token', 'xoxe-', '\\d-[A-Za-z0-9]{100,240}'),
  token('slack_token', 'a Slack cookie', 'xoxd-', '[A-Za-z0-9%+/=]{60,300}'),
  token('slack_token', 'a Slack client token', 'xoxc-', '\\d{8,14}-\\d{8,14}-\\d{8,14}-[a-f0-9]{64}'),
  token(
    'slack_token',
    'a Slack app token',
    'xapp-',
    '(?:\\d-[A-Z0-9]{6,16}-\\d{8,16}-[a-z0-9]{32,80}|\\d{8,14}-[\\w/+]{20,40})',
    { check: lettered },
  ),
  token(
    'slack_webhook',
    'a Slack web hook',
    'hooks.slack.com/',
    '(?:services|workflows|triggers)/[TE][A-Z0-9]{6,14}/[A-Z0-9]{6,20}/(?:\\d{12,22}/)?[A-Za-z0-9]{18,46}',
    { severity: 'medium', entropyBitsMin: 3.4 },
  ),
  token(
    'teams_webhook',
    'a Microsoft Teams web hook',
    'webhook.office.com/webhookb2/',
    `${UUID}@${UUID}/IncomingWebhook/[0-9a-f]{32}/${UUID}(?:/[\\w-]{1,64})?`,
    { severity: 'medium' },
  ),
  token('matrix_token', 'a Matrix access token', 'syt_', '[A-Za-z0-9+/=-]{4,128}_[A-Za-z]{20}_[A-Za-z0-9]{6}'),
  token('nostr_key', 'a Nostr private key', 'nsec1', '[02-9ac-hj-np-z]{58}'),
  tokenLike(
    'discord_token',
    'a Discord bot token',
    numbersInBase64(),
    '[MNO][A-Za-z\\d_-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,42}(?![\\w-])',
    {
      check: mixed,
      entropyBitsMin: 4,
    },
  ),
  token(
    'discord_webhook',
    'a Discord web hook',
    'discord.com/api/webhooks/|discordapp.com/api/webhooks/',
    '\\d{17,20}/[\\w-]{60,80}',
    { severity: 'medium' },
  ),
  tokenLike('telegram_token', 'a Telegram bot token', [':AA'], '\\d{8,11}:AA[\\w-]{32,34}(?![\\w-])', {
    lead: { chars: /\d/, charsMax: 11 },
    check: mixed,
  }),
  token(
    'teams_webhook',
    'a Microsoft Teams web hook',
    'outlook.office.com/webhook|.webhook.office.com/webhook',
    `(?:b2)?/${UUID}@${UUID}/[A-Za-z]{4,24}/[0-9a-fA-F]{32}/${UUID}`,
    { severity: 'medium' },
  ),
  token(
    'logic_app_url',
    'a signed workflow address',
    '.logic.azure.com',
    '(?::443)?/workflows/[0-9a-f]{32}/[^\\s"\']{20,300}?sig=([\\w-]{30,64})',
  ),
  token(
    'google_chat_webhook',
    'a Google Chat web hook',
    'chat.googleapis.com/v1/spaces/',
    '[\\w-]{6,20}/messages\\?key=[\\w-]{20,60}&token=([\\w%-]{30,80})',
    { severity: 'medium' },
  ),
  token(
    'feishu_webhook',
    'a Feishu web hook',
    'open.feishu.cn/open-apis/bot/v2/hook/|open.larksuite.com/open-apis/bot/v2/hook/',
    UUID,
    { severity: 'medium' },
  ),
  token('dingtalk_webhook', 'a DingTalk web hook', 'oapi.dingtalk.com/robot/send?access_token=', '[0-9a-f]{64}', {
    severity: 'medium',
  }),
  token('wecom_webhook', 'a WeCom web hook', 'qyapi.weixin.qq.com/cgi-bin/webhook/send?key=', UUID, {
    severity: 'medium',
  }),
  token('zapier_webhook', 'a Zapier web hook', 'hooks.zapier.com/hooks/catch/', '\\d{5,9}/[a-z0-9]{6,10}', {
    severity: 'low',
    entropyBitsMin: 2.5,
  }),
  token('ifttt_key', 'an IFTTT key', '/with/key/', '[\\w-]{20,50}', {
    severity: 'medium',
    confidence: 0.8,
    check: mixed,
  }),
  token('twilio_key', 'a Twilio API key', 'SK', '[0-9a-f]{32}', { confidence: 0.9, entropyBitsMin: 3 }),
  token('sendgrid_key', 'a SendGrid key', 'SG.', '[\\w-]{16,32}\\.[\\w-]{32,64}(?![\\w-])', { check: mixed }),
  token('mailgun_key', 'a Mailgun key', 'key-', '[0-9a-f]{32}'),
  token('mailgun_key', 'a Mailgun public key', 'pubkey-', '[0-9a-f]{32}', { severity: 'low' }),
  tokenLike('mailchimp_key', 'a Mailchimp key', ['-us'], '[0-9a-f]{32}-us\\d{1,2}(?!\\w)', {
    lead: { chars: /[0-9a-f]/, charsMax: 32 },
  }),
  token('brevo_key', 'a Brevo key', 'xkeysib-|xsmtpsib-', '[a-f0-9]{64}-[A-Za-z0-9]{16}'),
  token('resend_key', 'a Resend key', 're_', '[A-Za-z0-9]{8}_[A-Za-z0-9]{24}', { check: mixed }),
  token('mandrill_key', 'a Mandrill key', 'md-', '[\\w-]{22}(?![\\w-])', {
    check: mixed,
    confidence: 0.7,
    entropyBitsMin: 3.8,
  }),
  token('mailersend_key', 'a MailerSend key', 'mlsn.', '[a-f0-9]{64}'),
  token('convertkit_key', 'a ConvertKit key', 'kit_', '[a-f0-9]{32}'),
  token('klaviyo_key', 'a Klaviyo private key', 'pk_', '[a-f0-9]{34}'),
  token('onesignal_key', 'a OneSignal key', 'os_v2_app_|os_v2_org_', '[a-z0-9]{60,120}'),
  token('firebase_messaging_key', 'a Firebase messaging key', 'AAAA', '[\\w-]{7}:APA91b[\\w-]{100,160}'),
  token('facebook_token', 'a Facebook access token', 'EAACEdEose0cBA', '[A-Za-z0-9]{20,300}'),
  token(
    'facebook_token',
    'a Facebook access token',
    'EAAM|EAAC|EAAG|EAAB|EAAD|EAAF|EAAH|EAAI|EAAJ|EAAK|EAAL|EAAN|EAAO|EAAP|EAAQ|EAAR|EAAS|EAAT|EAAU|EAAV|EAAW|EAAX|EAAY|EAAZ',
    '[A-Za-z0-9]{96,400}',
    { check: mixed, entropyBitsMin: 4 },
  ),
  tokenLike('facebook_app_token', 'a Facebook app token', ['|'], '\\d{15,16}\\|[\\w-]{27}(?![\\w-])', {
    lead: { chars: /\d/, charsMax: 16 },
    check: mixed,
    entropyBitsMin: 3.8,
  }),
  token('instagram_token', 'an Instagram token', 'IGQV|IGAA', '[A-Za-z0-9_-]{60,300}', { check: mixed }),
  token('twitter_bearer', 'an X bearer token', 'AAAAAAAAAAAAAAAAAAAAA', '[A-Za-z0-9%+/=]{60,120}', {
    check: () => 0.9,
    entropyBitsMin: 2,
  }),
  token('linkedin_token', 'a LinkedIn token', 'AQX|AQV|AQW|AQU', '[\\w-]{120,400}', {
    check: mixed,
    confidence: 0.6,
    entropyBitsMin: 4.5,
  }),
  token('twitch_stream_key', 'a Twitch stream key', 'live_', '\\d{6,12}_[A-Za-z0-9]{28,32}', { check: mixed }),
  token('tiktok_token', 'a TikTok token', 'act.|clt.', '[A-Za-z0-9!]{60,120}', { check: mixed, confidence: 0.8 }),
  token('intercom_token', 'an Intercom token', 'dG9rO', '[A-Za-z0-9+/]{40,80}={0,2}'),
  token('pagerduty_key', 'a PagerDuty key', 'u+', '[\\w+-]{18}', {
    confidence: 0.5,
    check: mixed,
    entropyBitsMin: 3.8,
  }),
];

function mixed(value: string): boolean {
  return /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value);
}

function lettered(value: string): boolean {
  return /\d/.test(value) && /[A-Za-z]/.test(value.slice(5)) && !/token/i.test(value);
}

/** How base64 of a number starts: Discord's tokens begin with the account's number. */
function numbersInBase64(): string[] {
  const starts = ['MT', 'Mj', 'Mz', 'ND', 'NT', 'Nj', 'Nz', 'OD', 'OT'];
  return starts.flatMap((start) => [...'AEIMQUYcgk'].map((second) => start + second));
}
