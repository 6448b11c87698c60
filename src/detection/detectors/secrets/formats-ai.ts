import { type TokenFormat, token, tokenLike } from './token-format.ts';

/** Providers of models, and services that agents use. */
export const AI_FORMATS: readonly TokenFormat[] = [
  token(
    'anthropic_key',
    'an Anthropic API key',
    'sk-ant-',
    '(?:api|admin|oat|ort|sid)\\d{2}-[\\w-]{80,120}(?![\\w-])',
    {
      severity: 'critical',
      check: (key) => key.endsWith('AA') || !/-(?:api|admin)\d/.test(key),
    },
  ),
  tokenLike(
    'openai_key',
    'an OpenAI API key',
    ['T3BlbkFJ'],
    'sk-(?:proj-|svcacct-|admin-|None-)?[\\w-]{20,80}T3BlbkFJ[\\w-]{20,80}(?![\\w-])',
    {
      lead: { chars: /[\w-]/, charsMax: 96 },
      severity: 'critical',
    },
  ),
  token('openai_key', 'an OpenAI API key', 'sk-proj-|sk-svcacct-|sk-admin-|sk-None-', '[\\w-]{40,200}(?![\\w-])', {
    severity: 'critical',
    check: mixed,
  }),
  token('openrouter_key', 'an OpenRouter key', 'sk-or-v1-|sk-or-', '[a-f0-9]{64}'),
  token(
    'langfuse_key',
    'a Langfuse secret key',
    'sk-lf-',
    '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
  ),
  token('model_api_key', 'a model provider key', 'sk-', '(?:[a-z]{2,10}-)?[A-Za-z0-9]{32,96}(?![\\w-])', {
    check: (key) => /\d/.test(key) && /[a-zA-Z]/.test(key.slice(3)),
    entropyBitsMin: 3.2,
  }),
  token('huggingface_token', 'a Hugging Face token', 'hf_', '[A-Za-z0-9]{34,40}', {
    check: variedCase,
    entropyBitsMin: 3.4,
  }),
  token('huggingface_token', 'a Hugging Face organisation token', 'api_org_', '[A-Za-z]{34}', {
    check: variedCase,
    entropyBitsMin: 3.4,
  }),
  token('groq_key', 'a Groq key', 'gsk_', '[A-Za-z0-9]{50,54}', { check: mixed }),
  token('perplexity_key', 'a Perplexity key', 'pplx-', '[A-Za-z0-9]{48}(?!\\w)', { check: mixed }),
  token('replicate_token', 'a Replicate token', 'r8_', '[A-Za-z0-9]{37}', { check: mixed }),
  token('xai_key', 'an xAI key', 'xai-', '[A-Za-z0-9_-]{70,90}'),
  token('together_key', 'a Together key', 'tgp_v1_', '[\\w-]{43}'),
  token('fireworks_key', 'a Fireworks key', 'fw_', '[A-Za-z0-9]{22,24}', { check: mixed, confidence: 0.8 }),
  token('cerebras_key', 'a Cerebras key', 'csk-', '[a-z0-9]{48}'),
  token('nvidia_key', 'an NVIDIA key', 'nvapi-', '[\\w-]{60,70}'),
  token('voyage_key', 'a Voyage key', 'pa-', '[\\w-]{43}(?![\\w-])', {
    check: mixed,
    confidence: 0.8,
    entropyBitsMin: 4,
  }),
  token('jina_key', 'a Jina key', 'jina_', '[A-Za-z0-9_-]{60}'),
  token('anyscale_key', 'an Anyscale key', 'esecret_', '[a-z0-9]{26,40}'),
  token('langsmith_key', 'a LangSmith key', 'lsv2_', '(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}'),
  token('langsmith_key', 'a LangSmith key', 'ls__', '[a-f0-9]{32}'),
  token('pinecone_key', 'a Pinecone key', 'pcsk_', '[A-Za-z0-9_]{60,80}'),
  token('elevenlabs_key', 'an ElevenLabs key', 'sk_', '[a-f0-9]{48}'),
  token('tavily_key', 'a Tavily key', 'tvly-', '(?:dev-|prod-)?[A-Za-z0-9-]{28,48}', {
    check: (key) => /\d/.test(key),
  }),
  token('firecrawl_key', 'a Firecrawl key', 'fc-', '[a-f0-9]{32}'),
  token('e2b_key', 'an E2B key', 'e2b_', '[a-f0-9]{40}'),
  token('apify_token', 'an Apify token', 'apify_api_', '[A-Za-z0-9]{36}'),
  token('browserbase_key', 'a Browserbase key', 'bb_live_', '[\\w-]{24,48}'),
  token('wandb_key', 'a Weights & Biases key', 'wandb_v1_|local-', '[A-Za-z0-9_]{40,96}', { check: mixed }),
  token('composio_key', 'a Composio key', 'ak_|comp_', '[\\w-]{20}(?![\\w-])', {
    check: mixed,
    confidence: 0.5,
    entropyBitsMin: 3.8,
  }),
  token('mem0_key', 'a Mem0 key', 'm0-', '[A-Za-z0-9]{40}', { check: mixed }),
  token('friendli_token', 'a Friendli token', 'flp_', '[A-Za-z0-9]{40,60}'),
  token('inngest_key', 'an Inngest key', 'signkey-', '(?:prod|test|branch)-[a-f0-9]{32,128}'),
  token('trigger_key', 'a Trigger.dev key', 'tr_prod_|tr_dev_|tr_pat_', '[A-Za-z0-9]{20,48}'),
  token('notion_token', 'a Notion integration secret', 'secret_', '[A-Za-z0-9]{43}', { check: mixed }),
  token('dashscope_key', 'a DashScope key', 'sk-sp-', '[\\w.-]{32,120}', { check: (key) => /\d/.test(key) }),
];

function mixed(value: string): boolean {
  return /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value);
}

/** Capitals amid small letters more often than a compound name has them. */
function variedCase(value: string): boolean {
  const body = value.replace(/^(?:hf|api_org)_/, '');
  return (body.match(/[a-z][A-Z]|[A-Z][a-z]/g)?.length ?? 0) >= 8 && !/[A-Z][a-z]{7}|(?:[A-Z][a-z]{5}.*){2}/.test(body);
}
