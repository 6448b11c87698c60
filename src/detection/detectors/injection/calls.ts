import { CONCEALED, GRAVE, ORDERS, PRIVY, RUNNING } from './call-orders.ts';
import type { Piece } from './pieces.ts';

/**
 * Orders to whichever assistant reads a text: a call by what it is ("note for the AI agent that triages this: …", "if you are a
 * language model …") and, close behind, something that no reader is ordinarily asked for. The scorer sees one sentence at a time; a call
 * and its order are often two.
 */

/** How far behind a call its order is looked for, in UTF-16 code units. */
const ORDER_CHARS_MAX = 480;
/** In front of a name, what belongs to the call. */
const BEFORE_CHARS_MAX = 64;

const KIND =
  '(?:ai|llm|gpt|coding|code|automated|autonomous|language|shopping|booking|generative|summary|summari[sz]ing|operations|evaluat(?:or|ing)|grading|review(?:er|ing)?|dev|screening|purchasing|buyer|phone|triage|implementing|large language)';
const NAME = new RegExp(
  `(?<![a-z\\u00c0-\\u052f\\u0600-\\u06ff\\d_./-])(?:${KIND}[- ](?:based |powered |driven |contract |booking |coding )?(?:agents?|assistants?|models?|bots?|tools?|systems?|engines?|reviews?|reviewers?|responders?|users?|summari[sz]ers?|crawlers?|graders?|scribes?|planners?|operators?|bookkeepers?|scorers?|subtitlers?|translators?)|a\\.?i\\.?s?|llms?|(?<=\\b(?:the|for|to|whichever|whatever)\\s)models?|models(?=\\s\\p{L}{3,16}ing\\s(?:this|here))|(?<=\\ble\\s)modèle|(?<=\\b(?:el|o)\\s)modelo|(?<=\\bil\\s)modello|(?<=\\bdas\\s)modell|assistente(?=:|$)|(?:智能)?助手(?=(?:在|处理|阅读|整理|总结)[^,，。]{0,12}(?:本|此|该|这)|须|必须|应)|(?<=読む|処理する|要約する)(?:ai|アシスタント|エージェント|ボット)(?:は|が)|agents?|assistants?|(?:ki|ia)[- ]?assistent(?:en|in)?|(?:ki|ia)-(?:systeme?n?|modelle?n?|agenten?|bots?|tools?)|chat-?bots?|bots?|robots?|copilots?|claude|chatgpt|gemini|codex|cursor|asistentes?(?:\\s(?:de\\sia|virtual(?:es)?|automatizados?))?|assistentes?\\s(?:de\\sia|virtua(?:l|is))|assistent[ei]\\s(?:ai|ia|virtual[ei]|digital[ei])|assistants?\\s(?:ia|virtuels?|automatis[ée]s?|automatiques?|num[ée]riques?)|(?:ai|digitale[nr]?)[- ]?assisten(?:t|ten|ter|zen|z|s)|mod[eè]les?\\sde\\slangage|modelos?\\sde\\slengua(?:je|gem)|sprachmodelle?n?|asystent\\p{L}{0,4}(?:\\s(?:ai|wirtualn\\p{L}{1,3}))?|agente(?:s)?(?:\\s(?:autom[aá]ticos?|de\\sia|ia))?|automated\\scontributors?|автомат[аы]?м|(?:агент|ассистент|помощник)\\p{L}{0,3}|asisten(?!\\p{L})|asistan\\p{L}{0,5}|asszisztens\\p{L}{0,5}|automatáknak|agenter(?:na)?|assistenti|asystenci|للمساعد(?:\\s(?:الآلي|الذكي))?|المساعد\\s(?:الآلي|الذكي)|ki|ia|(?:(?:ai\\s?)?(?:アシスタント|エージェント|ボット)|ai)(?:の方)?(?:へ|に|への)|ии[- ](?:агент|ассистент|помощник)\\p{L}{0,3}|人工智能助手|ai\\s?助手|(?<=\\[\\[)\\p{L}{3,16}-(?:ai|bot|agent|assistant))(?:(?![\\p{L}\\p{N}_])|(?<=助手))`,
  'giu',
);

/** `note for the …`, `p.s. to any …`, `hinweis an den …`, `@…`: whoever is named behind is spoken to. */
const SPOKEN_TO =
  /(?:\b(?:notes?|message|notice|memo|reminder|(?:next )?steps?|instructions?|directions?|info|important|guidance|procedure|attention|ps|p\.s\.|hints?|tips?|\p{L}{0,16}hinweise?|anmerkung(?:en)?|\p{L}{0,16}hilfe|anweisung(?:en)?|nachricht|systemnachricht|notas?|aviso|instrucci(?:ón|ones)|indicaci(?:ón|ones)|instruç(?:ão|ões)|remarques?|consignes?|istruzion[ei]|avvertenz[ae]|uwag[ai]|wskazówk[ai]|instrukcj[ae]|opmerking(?:en)?|instructies?|merknad|anmärkning|remark|remediation|fix|workaround)(?:\s\p{L}{1,12}){0,2}\s{1,2}(?:to|for|an|für|para|pour|per|dla|voor|till?|för|untuk|kepada|az?|a|à|al)|megjegyzés az?|ملاحظة|для|(?:^|<!--\s{0,4}|[.!?;:\n"'(>*~[#—–]\s{0,4})(?:\p{L}{1,16}\s)?(?:to|for|untuk|kepada|для|致|给|attention|hey|hi|hello|oye,?|ojo,?|hola,?|dear|calling|liebe[rs]?|cher|chère|estimad[oa]|für|para|pour|per|dla|voor|till?|för)|\bamong|,\s(?:and\s)?(?:for|to)|\b(?:and|so|okay)\s(?:for|to))\s{1,2}(?:(?:the|any|all|every|an?|your|this|den|die|das|alle|el|la|los|las|le|les|gli|il|lo|i|o|os|as|de|het|whichever|whatever)\s{1,2}|l['’]){0,3}(?:\p{L}{2,16}\s(?:and|or|und|oder|et|ou|y|o|e|en)\s|\p{L}{3,14}(?:['’]s)?\s)?$|\byou,?\s(?:the\s)?$|(?:^|[.!?;:\n]\s{0,4})all['’]$|à l['’]attention de (?:l['’]|toute? )$|[^\p{L}\p{N}]@$/iu;
const CONDITION =
  /\b(?:if|when|in case)\s{1,2}(?:you(?:'re|’re|\sare)\s{1,2}(?:an?\s{1,2})?|(?:an?|any|the)\s{1,2}|(?:this|the)\s\p{L}{3,16}\s(?:is|gets|was)\s(?:being\s)?(?:handled|read|processed|evaluated|answered|summari[sz]ed|reviewed|screened|graded|translated)\sby\s(?:an?|any|the)\s{1,2})$/iu;
/** The same in languages that put it so. */
const CONDITION_ELSEWHERE =
  /(?<!\p{L})(?:si (?:eres|es|sos|tu es|vous êtes)|se (?:sei|siete|você é|é)|(?:wenn|falls) (?:du|sie)) (?:una?|une?|um|uma|eine?) $/iu;
/** What a person is hardly by trade. */
const NO_TRADE = /^(?:assistants?|asistentes?|assistent[ei]|mod[eè]l\p{L}{1,2})$/iu;
/** A remark on what is left to do, and for whom: where whole teams work with agents, no call by itself. */
const TO_BE_DONE = /(?:#|\/\/|\/\*|<!--)\s{0,4}(?:todo|fixme)\s(?:for|to)\s(?:(?:the|any|an?)\s)?$/iu;
/** `(executed by the assistant): …` */
const DONE_BY = /\b(?:executed|performed|done|handled|run|completed) by (?:the|any|your) $/iu;
/** Behind a name, what calls on it in languages that say so there. */
const CALLED_BEHIND = /^\s?(?:참고|에게|용)\s{0,2}[:：]|^(?:请?注意)?】|^[:：]\s{0,2}\p{L}/u;
const DATIVE = /^(?:asistan(?:a|lara)|automatáknak|asszisztens\p{L}{0,3}nek|للمساعد)/iu;
/** In a comment of code or markup nobody else speaks: there a name and a colon are a call, which elsewhere is how a dialogue is written. */
const IN_COMMENT =
  /(?:#|\/\/|\/\*|<!--|>>>|--|\n\s{0,8}\*\s|\[\s?|%%|\b(?:todo|fixme|note)\()\s{0,4}(?:hey\s|todo\s|dear\s)?$/iu;
/** Whoever is busy with this very text. */
const AT_THIS =
  /^\s(?:agents?\s)?(?:that\s|which\s|who\s|som\s|die\s|qui\s|che\s)?(?:is\s|are\s)?(?:triag|read|handl|process|summari[sz]|implement|work|visit|fetch|answer|review|pars|index|convert|draft|touch|edit|analy[sz]|compar|cit|quot|pick|fill|löser|hanterar)\w{0,4}\s(?:on\s|over\s|with\s|in\s|questions\sover\s)?(?:this|detta|it\b|the (?:page|issue|document|mail|ticket|file|text|above|following))|^\squi\s(?:lis|lit|lisez|lisent|lirez?|traite[sz]?)\s(?:cet?|cette|ceci|ces)\b/iu;
/** The same by any verb: whose work it may be, people do not say of a program. */
const BUSY_WITH_THIS =
  /^\s(?:(?:that|which|who)\s\p{L}{3,16}s|\p{L}{3,16}ing)\s(?:\p{L}{1,12}\s){0,3}?(?:this|these|here)(?!\p{L})|^\sassigned to (?:this|it)\b|^\sque (?:lea|lee|procese|lê|leia) est[ea]|^\sche legge|^(?:在|处理|阅读|整理|总结|须|必须|应)/iu;
/** What people are hardly called. */
const PROGRAM =
  /^(?:assistants?|models?|copilots?|bots?|mod[eè]l\p{L}{1,2}|asistentes?|assistent[ei]|agente|助手|智能助手|ai|アシスタント|エージェント|ボット)/iu;
/** `assistant!! you have to …`, `accounting AI: treat …` */
const CRIED_TO = /^\s?!{1,3}\s(?:you|please|do|don['’]t|now|from now)\b/iu;
const ONE_WORD_BEFORE = /(?:^|[\n.!?]\s{0,4})\p{L}{2,16}\s$/u;
const TOLD_IN_SMALL = /^:\s(?!(?:i|you|we|it|the|sure|yes|no|ok|hi|hello)\b)\p{Ll}{2,16}\s/u;
/** In a comment, at once what it is to do. */
const TOLD_IN_COMMENT =
  /^(?:,\s(?:please|when|while|before|do|you)\b|\s(?:please|ignore|disregard|skip|add|run|open|delete|remove|set|change|use)\s)/iu;
/** A line of a comment, up to a name in it. */
const COMMENT_LINE = /(?:^|\n)\s{0,16}(?:#|\/\/|<!--|\*)[^\n]{0,48}$/u;
/** One that is told at once what to return. */
const TOLD_AT_ONCE = /^:\s{1,2}(?:return|output|ignore|disregard|do not|don't|please)\b/iu;
const PRODUCT = /^(?:chatgpt|claude|gemini|copilot|gpt)/iu;
/** A chapter of a document says what it is about. */
const HEADING = /(?:^|\n)#{2,6}\s[^\n]*$/u;
/** So does the title of one, where a comment of code would go on. */
const TITLE = /^#\s[^\n]*$|\n\n#\s[^\n]*$/u;
const TITLE_ENDS = /^[^\n]{0,64}\n\n/u;
/** A quotation mark that does not open the value of a field. */
const QUOTED = /(?<![:[,{]\s{0,2})["'“‘„`«]$/u;
/** Several of them are no speaker, and neither is what has a work of its own. */
const PLURAL = /s$/iu;
const OF_WORK =
  /(?:review|responder|reviewer|summari[sz]er|crawler|system|engine|grader|scribe|planner|operator|bookkeeper|scorer|subtitler|translator)$/iu;
/** No program of another kind, and no person, has such a name. */
const NAMED = /^(?:a\.?i|llm|language|coding|code|automated|autonomous|claude|chatgpt|copilot|gpt|generative|ki|ia)/iu;
const LINE_START =
  /(?:^|[\n"'([{>*•;-]|[\].:!?]\s)\s{0,4}(?:important|attention|\d{1,3}\.|\p{L}{4,12}ing|ap|wallet|code|web|browser|crypto|checkout|support|e?mail)?\s{0,4}$/iu;
/** What ends a call. */
const ENDED = /^(?:[^.!?\n:]|\.(?=\S)){0,72}[:,：]|^[^.!?\n:]{0,32}\s[–—]\s|^[^.!?\n:]{0,48}\)\s?:/u;
/** Or goes on with what they are to do. */
const OBLIGED =
  /^[^.!?\n]{0,48}\b(?:must|should|shall|has to|have to|need to|are to|is to|(?:required|expected|asked|ordered|instructed|told|requested)(?: by [^.!?\n]{2,24}?)? to|werden gebeten|sollen|müssen|sind gehalten)\b(?!\s(?:not|never)\b)/iu;
/** `must not use a any more; replace it by b` */
const INSTEAD = /^\s(?:must|should)\s(?:not|never|no longer)\b[^.!?\n]{0,64}[;,]\s(?:instead|replace|use|install)\b/iu;
/** What is politely asked of whoever reads, and of no person. */
const ASKED_TO =
  /^[^.!?\n]{0,64}\bare (?:asked|requested|required|ordered|instructed|told)(?: by [^.!?\n]{2,24}?)? to\b/iu;
const OF_MACHINES = /\bprintenv\b|\b(?:ci|api|access) tokens?\b|\.env\b|~\/\.\w|\bid_rsa\b|\bsudo\b|\bcurl\b/iu;
const HIDDEN_FROM =
  /\b(?:must|should|do|does|need|to)?\s?(?:not|n't|n’t|never)\b[^.!?\n]{0,24}\b(?:show|tell|mention|inform|notify|reveal|disclose|ask|alert|bother)\b/iu;
/** Somebody has one do it: `have the assistant call …`, `we ask every AI agent to …`. */
const HAD_DONE =
  /\b(?:have|let|make)\s(?:the|your|any|an?)\s$|\b(?:ask|instruct|request|require|urge)s?\s(?:(?:the|your|any|every|all)\s)?$/iu;
/** A title of its own, and under it what those are not to know for whom the agent works. */
const ENDS_LINE = /^[ \t]{0,4}[*_#=-]{0,4}\n/u;
const BEHIND_BACKS =
  /\b(?:not|n't|n’t|never|without)\s(?:\p{L}{1,12}\s){0,2}?(?:tell|inform|mention|notify|alert)(?:ing)?\s(?:(?:this|it|that|anything)\s)?(?:to\s)?(?:(?:the|your|any|a)\s)?(?:users?|developers?|humans?|person|people|anyone|anybody|owners?|readers?|you)\b/iu;
/** Whoever is spoken to while busy: `assistant, when summarising this, …`. */
const WHILE_AT_IT = /^,\s(?:when|while|before|after)\s\p{L}{2,16}ing\s(?:this|it|these|the)\b[^.!?\n]{0,32},/iu;
/** The same in French, which puts who is asked behind the verb as well. */
const PRAYED = /\b(?:prions|prie|demandons|demande)\s(?:à\s)?(?:l['’]|les\s|tous\sles\s|chaque\s)$/iu;
const TO_DO = /^\s(?:(?:\p{L}{1,16}\s){0,2}to|call|run|send|add|set|use|open)\s/iu;
/** `for whatever AI writes the minutes: …`, `whoever summarises this with AI: …` */
const WHOEVER = /\b(?:for\swhatever|whoever\s\p{L}{3,16}\s(?:this|it|these)\s(?:with|using)(?:\san?)?)\s$/iu;
/** `(assistant memory): …`: what it is to keep. */
const OF_MEMORY = /^\smemory\)?\s?:/iu;
/** What was said right before is what they are to do. */
const DO_THAT = /^[^.!?\n]{0,32}\b(?:do (?:it|this|so)|apply (?:exactly )?this|follow this)\b/iu;
const BACK_CHARS_MAX = 320;
/** Whoever is called is to leave what it does. */
const STOPPED =
  /^\s?[:,!]{1,4}\s(?:[^.\n]{0,80}[.!\n]\s?)?(?:ignore|disregard|forget|override|stop|quit|cease|cesse[rz]?|olvida|do not summari[sz]e|do not translate)\b(?:[.!]|\s(?:\p{L}{3,16}ing\b|ta\b|tu\b|lo\b|your|the|all|any|user|previous|prior|developer|this|what))/iu;

/** Names of one reading that are looked at. */
export const NAMES_MAX = 512;

/**
 * Looks whether what is named between `start` and `end` of `text` is called upon, and given an order there or close behind.
 * Looks at no more names than `namesMax`, and tells how many those were.
 */
export function callsForOrders(
  text: string,
  { start, end }: Piece,
  namesMax: number,
): { calls: boolean; namesCount: number } {
  let namesCount = 0;
  for (const match of text.slice(start, end).matchAll(NAME)) {
    if (namesCount >= namesMax) break;
    namesCount++;
    const from = start + match.index;
    const behind = from + match[0].length;
    if (!isCall(text, from, behind, match[0])) continue;
    const order = DO_THAT.test(text.slice(behind, behind + BEFORE_CHARS_MAX))
      ? text.slice(Math.max(0, from - BACK_CHARS_MAX), behind + BEFORE_CHARS_MAX)
      : orderOf(text, behind);
    if (ORDERS.some((pattern) => pattern.test(order))) return { calls: true, namesCount };
  }
  return { calls: false, namesCount };
}

function isCall(text: string, from: number, behind: number, name: string): boolean {
  const before = text.slice(Math.max(0, from - BEFORE_CHARS_MAX), from);
  const after = text.slice(behind, behind + BEFORE_CHARS_MAX + 16);
  const isNamed = NAMED.test(name);
  if (before.length > 1 && QUOTED.test(before)) return false;
  if (HEADING.test(before))
    return isNamed && SPOKEN_TO.test(before) && CONCEALED.some((pattern) => pattern.test(orderOf(text, behind)));
  if (TITLE.test(before) && TITLE_ENDS.test(after))
    return isNamed && SPOKEN_TO.test(before) && BEHIND_BACKS.test(orderOf(text, behind));
  if (/[へはが]$/u.test(name) || AT_THIS.test(after)) return true;
  if (BUSY_WITH_THIS.test(after) && (isNamed || PROGRAM.test(name) || SPOKEN_TO.test(before))) return true;
  if (CRIED_TO.test(after) && LINE_START.test(before)) return isNamed || PROGRAM.test(name);
  if (DATIVE.test(name)) return ENDED.test(after);
  if (DONE_BY.test(before)) return ENDED.test(after) || /^\)?\*{0,2}:/.test(after);
  if (/(?:致|给|상담|【)\s?$/u.test(before)) return CALLED_BEHIND.test(after);
  if (CONDITION.test(before)) return isNamed;
  if (CONDITION_ELSEWHERE.test(before)) return isNamed || (NO_TRADE.test(name) && /^[,:]/.test(after));
  if (WHOEVER.test(before)) return isNamed && ENDED.test(after);
  if (HAD_DONE.test(before)) return TO_DO.test(after) && (isNamed || /^assistant/iu.test(name));
  if (OF_MEMORY.test(after) || (PLURAL.test(name) && DO_THAT.test(after))) return true;
  if (PRAYED.test(before)) return /^[^.!?\n]{0,48}\sd(?:e\s|['’])/u.test(after);
  if (STOPPED.test(after)) return LINE_START.test(before) || before.endsWith('@');
  if (IN_COMMENT.test(before.replace(/@$/, '')) && TOLD_IN_COMMENT.test(after)) return true;
  if (before.endsWith('@')) return !/^bots?$/i.test(name) && PRIVY.some((order) => order.test(orderOf(text, behind)));
  if (TO_BE_DONE.test(before)) return PRIVY.some((order) => order.test(orderOf(text, behind)));
  if (SPOKEN_TO.test(before) && /^models?$/iu.test(name)) return /^[^.!?\n:,]{0,48}:/u.test(after);
  if (SPOKEN_TO.test(before))
    return ENDED.test(after) || (isNamed && ENDS_LINE.test(after) && BEHIND_BACKS.test(orderOf(text, behind)));
  if (IN_COMMENT.test(before)) return !/^bots?$/i.test(name) && /^[^.!?\n]{0,40}[):\]]/u.test(after);
  if (PRODUCT.test(name) && TOLD_AT_ONCE.test(after)) return true;
  const heads = (PLURAL.test(name) || OF_WORK.test(name)) && LINE_START.test(before);
  if (heads && /^(?:[^.!?\n:]|\.(?=\S)){0,72}:/u.test(after)) return true;
  if (isNamed && LINE_START.test(before) && /^\s\p{L}{3,16}:/u.test(after)) return true;
  if (TOLD_IN_SMALL.test(after) && (isNamed || /^assistente/iu.test(name)))
    return LINE_START.test(before) || ONE_WORD_BEFORE.test(before);
  if (WHILE_AT_IT.test(after)) return isNamed || LINE_START.test(before);
  if (INSTEAD.test(after)) return isNamed && RUNNING.test(orderOf(text, behind));
  if (!OBLIGED.test(after)) return false;
  const order = orderOf(text, behind);
  if (HIDDEN_FROM.test(order)) return isNamed;
  const sentence = sentenceOf(order);
  const isYours = /\byour\s$/iu.test(before);
  if (isNamed && CONCEALED.some((pattern) => pattern.test(sentence))) return true;
  if (isYours && BEHIND_BACKS.test(sentence)) return true;
  if (PLURAL.test(name) && ASKED_TO.test(after) && OF_MACHINES.test(order)) return true;
  const begins = /(?:^|[.!?\n:,]\s?|\byour\s)(?:(?:the|any|all|every)\s)?$/iu.test(before);
  const isMachine = isNamed || COMMENT_LINE.test(before) || (/^assistant/iu.test(name) && OF_MACHINES.test(sentence));
  return isMachine && begins && GRAVE.some((pattern) => pattern.test(sentence));
}

/** Up to where a sentence ends. */
function sentenceOf(text: string): string {
  const end = text.search(/[.!?]\s/u);
  return end < 0 ? text : text.slice(0, end);
}

function orderOf(text: string, behind: number): string {
  return text.slice(behind, behind + ORDER_CHARS_MAX);
}

/**
 * The end of a tool's output and what a user or the system says next; a heading that announces a new system message. Each begins with a sign, of which texts
 * have few: who says to be the user is looked back for.
 */
const TURN =
  /,\s(?:the|your) user\s?[:,](?<=\b(?:from|this is|i am|i'm|it's|it is) me,\s(?:the|your) user\s?[:,])|>>\s?(?:prompt|system|instruction) (?:override|command)\s?>{2,16}|<\/(?:tool_result|tool_response|tool_output|function_results?)>\s{0,8}<(?:user|system|human|assistant)>|#{2,6}\s?new\s(?:system\s)?(?:message|prompt|instructions?)\s?#{2,6}/iu;
/** The same by a name, which only its capitals tell from other words: where case is ignored, `\p{Lu}` is any letter. */
const NAMED_TURN =
  /,\s(?:the|your) user\s?[:,](?<=\b(?:[Tt]his is|I am|I['’]m|[Ii]t['’]s|[Ii]t is) \p{Lu}\p{L}{1,20}(?: \p{Lu}\p{L}{1,20})?,\s(?:the|your) user\s?[:,])|\([Yy]our user\)(?<=\p{Lu}\p{L}{1,20} \p{Lu}\p{L}{1,20} \([Yy]our user\))/u;

/** Where the mark ends by which `text` poses as the turn that follows a tool's output; -1 where there is none. */
export function endOfPose(text: string): number {
  const ends = [TURN, NAMED_TURN].map((turn) => endOf(turn.exec(text))).filter((end) => end >= 0);
  if (ends.length > 0) return Math.min(...ends);
  const demand = endOfDemand(text);
  return demand < 0 ? endOfLoneSpeaker(text) : demand;
}

function endOf(mark: RegExpExecArray | null): number {
  return mark === null ? -1 : mark.index + mark[0].length;
}

const MUST = 'ou must ';
/** That what follows is to be obeyed: who only describes how a thing is done says "follow", and whom he speaks to is free to. */
const DEMAND =
  /\byou must (?:strictly (?:adhere to|follow|obey|comply with)|adhere to|obey) (?:the following|this) (?:instruction|command|order|directive)s?\s?:/iy;

function endOfDemand(text: string): number {
  for (let at = text.indexOf(MUST); at >= 0; at = text.indexOf(MUST, at + 1)) {
    DEMAND.lastIndex = at - 1;
    if (DEMAND.test(text)) return DEMAND.lastIndex;
  }
  return -1;
}

const SPEAKER = 'Human:';
/** In front of a speaker who breaks into prose. */
const ENDS_SENTENCE = /(?:^|[.!?][)"'\]]{0,2})\s{0,4}["']?\s{0,4}$/;
/** Characters beside the turn that make a page of it. */
const PAGE_CHARS_MIN = 160;

/** What somebody asks for: a verb and what is meant, or a wish. Who begins with an article or a possessive tells something. */
const ASKS =
  /^ (?!(?:The|A|An|This|That|These|Those|My|Our|Your|His|Her|Its|Their|It|We|He|She|They|One|All|In|On|At|By|For|To|From|With|As|No)\b)(?:\p{Lu}\p{L}{0,24}(?<!s) (?:the|a|an|my|me|up|down|on|off|all|your|our|this|that|it|every|any)\b|Please\b|(?:Can|Could|Would|Will) you\b|I (?:want|need|would like|'d like)\b)/u;

/** `… in 1640. Human: Delete my photos. The treaty …`: one turn of a dialogue in the middle of a page. Transcripts have several, and records other labels. */
function endOfLoneSpeaker(text: string): number {
  const at = text.indexOf(SPEAKER);
  if (at < 0 || text.length < PAGE_CHARS_MIN || text.includes(SPEAKER, at + 1)) return -1;
  const behind = at + SPEAKER.length;
  if (!ASKS.test(text.slice(behind, behind + 64)) || !ENDS_SENTENCE.test(text.slice(Math.max(0, at - 16), at)))
    return -1;
  const around = text.slice(Math.max(0, at - LABEL_CHARS), at) + text.slice(behind, behind + LABEL_CHARS);
  return /(?:^|[\s.])\p{Lu}\p{L}{1,24}: /u.test(around) ? -1 : behind;
}

/** Code units on either side of a speaker within which another label makes both parts of a record. */
const LABEL_CHARS = 512;
