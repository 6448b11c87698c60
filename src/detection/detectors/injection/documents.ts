/** Code units of what is said before a document and behind it, and of the least document. */
const HEAD_CHARS_MAX = 1_200;
const TAIL_CHARS_MAX = 600;
const DOCUMENT_CHARS_MIN = 60;

/** Where a document begins: behind a blank line, at a fence or a rule, or behind a colon that ends a line. */
const BEGINNING = /\n[ \t]{0,8}\n|\n(?=[ \t]{0,4}(?:```|~~~|-{3,}|={3,}|\*{3,}|>|<[a-z][\w-]{0,24}>))|:[ \t]{0,8}\n/i;

/** What a text is called of which something is wanted. */
const TEXT_NOUNS =
  'texts?|documents?|docs?|drafts?|letters?|e-?mails?|mails?|messages?|inputs?|threads?|chats?|(?:chat)?logs?|transcripts?|conversations?|dialog(?:ue)?s?|exchange|' +
  'notes?|minutes|reports?|articles?|posts?|pages?|policy|policies|contracts?|clauses?|essays?|thesis|chapters?|scenes?|story|stories|novel|poems?|lyrics|script|speech|' +
  'examples?|sentences?|phrases?|paragraphs?|questions?|prompts?|instructions|guidelines|specs?|specification|readme|changelog|tickets?|issues?|reviews?|comments?|survey|answers|replies|' +
  'code|function|class|middleware|makefile|dockerfile|playbook|workflow|config|file|snippet|module|tests?|test cases?|fixtures?|query|diff|patch|pull request|pr|stack ?trace|error|table|csv|json|material|' +
  'transkript\\w*|\\w*chat\\w*|protokoll\\w*|text\\w*|entwurf\\w*|brief\\w*|nachricht\\w*|texte|courriel|échange|correo|texto|mensaje|testo|messaggio|tekst';
/** What is in files lies elsewhere. */
const OF_FILES = '\\s(?:files?|director(?:y|ies)|folders?|entries|called|named)';
/** What points at one that follows. Who speaks of "multiple log files" or of "a report" hands none over. */
const POINTERS =
  "this|these|that|those|the|my|our|his|her|their|its|both|two|here(?:['’]s| is| are)|(?:i|we)(?:['’]ve| have)? (?:got|have|received|wrote|found|made)|" +
  'dies\\w*|de[rmn]?|die|das|ein\\w{0,2}|mein\\w*|unser\\w*|cette?|cet|ce|mon|ma|mes|notre|les?|une?|est[ea]|el|mi|la|un[ao]?|il|quest[oa]|os?|meus?|minhas?|deze|dit|mijn|het|een';
/** A head of one short sentence is about what follows, whatever it calls it. */
const ONE_SENTENCE = /^[^.?!\n]{1,120}[.?!:]?\s{0,4}$/;

/** Work on a text, or a question about it, by which what the text says is left to stand there. */
const WORK =
  'summar\\w+|sum up|translat\\w+|proofread\\w*|edit\\w*|review\\w*|critique|feedback|explain\\w*|analy[sz]\\w+|classif\\w+|label\\w*|categori\\w+|sort|rate|grade|assess\\w*|judg\\w+|check\\w*|' +
  'compar\\w+|extract\\w*|minutes|rewrit\\w+|rephras\\w+|reword|shorten\\w*|polish|improv\\w+|fix|correct\\w*|refactor\\w*|debug\\w*|continu\\w+|annotat\\w+|comment|spot|count|convert|clean up|' +
  'turn (?:the|this|it|my|our)|describ\\w+|description|outline|tl;?dr|opinion|thoughts|suggest\\w*|contradictions?|inconsistenc\\w+|gaps?|unclear|overlooked|missing|codes|' +
  '(?:add|write|build|create) (?:an? |the |some )?(?:unit |regression )?(?:fixture|test|mock|dataset|entry|row)s?|' +
  'fass\\w*|zusammenfass\\w*|übersetz\\w*|korrigier\\w*|prüf\\w*|erklär\\w*|überarbeit\\w*|résum\\w*|tradui\\w*|corrig\\w*|expli\\w*|resum\\w*|traduc\\w*|traduz\\w*|riassum\\w*|samenvat\\w*|vat';

/** A question about it: its words alone stand in any sentence. */
const QUESTION =
  /\b(?:what|which|why|how|where|who|whether|is|are|does|do|did|can|could|would|should)\b[^?\n]{2,400}\?|\basks (?:me |us )?(?:what|which|why|how|where|who|whether|if)\b/i;

/** What the assistant itself is to be, to say or to have been told: a message about that hands nothing over. */
const ABOUT_YOU =
  /\b(?:your (?:\w{1,16} ){0,2}(?:rules?|rulesets?|instructions?|prompts?|guidelines?|programming|training|polic(?:y|ies)|filters?|limits?|restrictions?|reply|replies|responses?|answers?|output)|you(?: must| will| are to| have to| shall)? (?:respond|reply|now)|you are (?:now|a|an|the|my)|end of (?:the )?(?:user|system|previous|prior))\b/i;

/** Somebody who wants to go on as it says there. */
const GOES_ON =
  /\b(?:go on|carry on|continue|keep going|proceed)\s(?:exactly |just )?(?:like|as|in)\b|\b(?:same|as before)\b.{0,24}\b(?:tone|agreement|role|character|rules)\b/i;

const standing = (words: string, more?: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])${more === undefined ? '' : `|${more}`}`, 'iu');
const WORK_ON_IT = standing(WORK, '总结|翻译|解释|分析|要約|翻訳|説明|添削');
const TEXT_CALLED = standing(`(?:${TEXT_NOUNS})(?!${OF_FILES})`);
const TEXT_OF_IT = standing(
  `(?:${POINTERS})\\s(?:[\\p{L}\\p{N}'’-]{1,20}\\s){0,3}(?:${TEXT_NOUNS})(?!${OF_FILES})|` +
    'below|following|underneath|attached|pasted|folgende\\w*|unten|suivant\\w*|ci-dessous|siguiente|abajo|abaixo|seguente|hieronder',
  '文章|文本|邮件|对话|以下|テキスト|メール|会話',
);

/** Somebody who speaks again behind what they handed over. */
const SPEAKS =
  /\?\s{0,4}$|\b(?:please|thanks|thank you|can you|could you|would you|i'm|i am|i'd|i'll|i've|my|danke|bitte|merci|gracias)\b/i;

/** Where the document stands that a user's message is about. What stands behind `end` may be the user's own words again. */
export interface HandedOver {
  start: number;
  end: number;
}

/** The document that `text`, a user's message, wants worked on, or asks about; undefined if there is none. */
export function documentIn(text: string): HandedOver | undefined {
  const beginning = BEGINNING.exec(text.slice(0, HEAD_CHARS_MAX));
  if (beginning === null) return undefined;
  const start = beginning.index;
  const end = tailStart(text, start + beginning[0].length);
  if (end - start < DOCUMENT_CHARS_MIN) return undefined;
  const head = text.slice(0, start);
  const tail = text.slice(end);
  const said = SPEAKS.test(tail) ? `${head}\n${tail}` : head;
  const isPointedAt = TEXT_OF_IT.test(head) || (ONE_SENTENCE.test(head) && TEXT_CALLED.test(head));
  if (!isPointedAt || !(WORK_ON_IT.test(said) || QUESTION.test(said))) return undefined;
  return ABOUT_YOU.test(said) || GOES_ON.test(said) ? undefined : { start, end };
}

/** Where the last paragraph of `text` behind `from`, or its last line, begins: whoever would hide an order puts it last. The end, where it is long or code. */
function tailStart(text: string, from: number): number {
  const trimmed = text.trimEnd();
  for (const mark of ['\n\n', '\n']) {
    const at = trimmed.lastIndexOf(mark);
    if (at < from || trimmed.length - at > TAIL_CHARS_MAX) continue;
    const tail = trimmed.slice(at);
    if (!tail.includes('```')) return at;
  }
  return text.length;
}
