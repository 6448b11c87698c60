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
  '(?:ai|llm|gpt|coding|automated|autonomous|language|shopping|booking|generative|summari[sz]ing|evaluat(?:or|ing)|grading|review(?:er|ing)?|dev|screening|purchasing|buyer|phone|triage|implementing|large language)';
const NAME = new RegExp(
  `(?<![\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{Script=Arabic}\\p{N}_./-])(?:${KIND}[- ](?:based |powered |driven |contract |booking |coding )?(?:agents?|assistants?|models?|bots?|tools?|systems?|engines?|reviews?|reviewers?|responders?|users?|summari[sz]ers?|crawlers?)|a\\.?i\\.?s?|llms?|agents?|assistants?|(?:ki|ia)[- ]?assistent(?:en|in)?|chat-?bots?|bots?|copilot|claude|chatgpt|gemini|codex|cursor|asistentes?(?:\\s(?:de\\sia|virtual(?:es)?|automatizados?))?|assistentes?\\s(?:de\\sia|virtua(?:l|is))|assistent[ei]\\s(?:ai|ia|virtual[ei]|digital[ei])|assistants?\\s(?:ia|virtuels?|automatis[ée]s?|num[ée]riques?)|(?:ai|digitale[nr]?)[- ]?assisten(?:t|ten|ter|zen|z|s)|mod[eè]les?\\sde\\slangage|modelos?\\sde\\slengua(?:je|gem)|sprachmodelle?n?|asystent\\p{L}{0,4}(?:\\s(?:ai|wirtualn\\p{L}{1,3}))?|agente(?:s)?(?:\\s(?:autom[aá]ticos?|de\\sia|ia))?|automated\\scontributors?|автомат[аы]?м|(?:агент|ассистент|помощник)\\p{L}{0,3}|asisten(?!\\p{L})|asistan\\p{L}{0,5}|asszisztens\\p{L}{0,5}|automatáknak|agenter(?:na)?|assistenti|asystenci|للمساعد(?:\\s(?:الآلي|الذكي))?|المساعد\\s(?:الآلي|الذكي)|ki|(?:ai\\s?)?(?:アシスタント|エージェント|ボット)(?:の方)?(?:へ|に|への)|ии[- ](?:агент|ассистент|помощник)\\p{L}{0,3}|人工智能助手|ai\\s?助手)(?![\\p{L}\\p{N}_])`,
  'giu',
);

/** `note for the …`, `p.s. to any …`, `hinweis an den …`, `@…`: whoever is named behind is spoken to. */
const SPOKEN_TO =
  /(?:\b(?:notes?|message|notice|memo|reminder|instructions?|directions?|info|important|guidance|procedure|attention|ps|p\.s\.|hints?|tips?|\p{L}{0,16}hinweise?|\p{L}{0,16}hilfe|anweisung(?:en)?|nachricht|systemnachricht|notas?|aviso|instrucci(?:ón|ones)|indicaci(?:ón|ones)|instruç(?:ão|ões)|remarques?|consignes?|istruzion[ei]|avvertenz[ae]|uwag[ai]|wskazówk[ai]|instrukcj[ae]|opmerking(?:en)?|instructies?|merknad|anmärkning|remark)(?:\s\p{L}{1,12}){0,2}\s{1,2}(?:to|for|an|für|para|pour|per|dla|voor|till?|för|untuk|kepada|az?|a|à|al)|megjegyzés az?|ملاحظة|для|(?:^|<!--\s{0,4}|[.!?;:\n"'(>*~[—–]\s{0,4})(?:\p{L}{1,16}\s)?(?:to|for|untuk|kepada|для|致|给|attention|hey|hi|dear|calling|liebe[rs]?|cher|chère|estimad[oa]|für|para|pour|per|dla|voor|till?|för)|\bamong|,\s(?:and\s)?(?:for|to)|\b(?:and|so|okay)\s(?:for|to))\s{1,2}(?:(?:the|any|all|every|an?|your|this|den|die|das|alle|el|la|los|las|le|les|gli|il|lo|i|o|os|as|de|het|whichever)\s{1,2}|l['’]){0,3}(?:\p{L}{2,16}\s(?:and|or|und|oder|et|ou|y|o|e|en)\s|\p{L}{3,14}\s)?$|à l['’]attention de (?:l['’]|toute? )$|[^\p{L}\p{N}]@$/iu;
const CONDITION = /\bif\s{1,2}(?:you(?:'re|’re|\sare)\s{1,2}(?:an?\s{1,2})?|(?:an?|any|the)\s{1,2})$/iu;
/** `(executed by the assistant): …` */
const DONE_BY = /\b(?:executed|performed|done|handled|run|completed) by (?:the|any|your) $/iu;
/** Behind a name, what calls on it in languages that say so there. */
const CALLED_BEHIND = /^\s?(?:참고|에게|용)\s{0,2}[:：]|^】|^[:：]\s{0,2}\p{L}/u;
const DATIVE = /^(?:asistan(?:a|lara)|automatáknak|asszisztens\p{L}{0,3}nek|للمساعد)/iu;
/** In a comment of code or markup nobody else speaks: there a name and a colon are a call, which elsewhere is how a dialogue is written. */
const IN_COMMENT =
  /(?:#|\/\/|\/\*|<!--|>>>|--|\n\s{0,8}\*\s|\[\s?|\btodo\(|\bfixme\()\s{0,4}(?:hey\s|todo\s|dear\s)?$/iu;
/** Whoever is busy with this very text. */
const AT_THIS =
  /^\s(?:agents?\s)?(?:that\s|which\s|who\s|som\s|die\s|qui\s|che\s)?(?:is\s|are\s)?(?:triag|read|handl|process|summari[sz]|implement|work|visit|fetch|answer|review|pars|index|convert|draft|löser|hanterar)\w{0,4}\s(?:on\s|over\s|questions\sover\s)?(?:this|detta|it\b|the (?:page|issue|document|mail|ticket|file|text|above|following))/iu;
/** One that is told at once what to return. */
const TOLD_AT_ONCE = /^:\s{1,2}(?:return|output|ignore|disregard|do not|don't|please)\b/iu;
const PRODUCT = /^(?:chatgpt|claude|gemini|copilot|gpt)/iu;
/** A chapter of a document says what it is about. */
const HEADING = /(?:^|\n)#{2,6}\s[^\n]*$/u;
/** A quotation mark that does not open the value of a field. */
const QUOTED = /(?<![:[,{]\s{0,2})["'“‘„`«]$/u;
/** Several of them are no speaker, and neither is what has a work of its own. */
const PLURAL = /s$/iu;
const OF_WORK = /(?:review|responder|reviewer|summari[sz]er|crawler|system|engine)$/iu;
/** No program of another kind, and no person, has such a name. */
const NAMED = /^(?:a\.?i|llm|language|coding|automated|autonomous|claude|chatgpt|copilot|gpt|generative|ki|ia)/iu;
const LINE_START = /(?:^|[\n"'([{>*•;-])\s{0,4}(?:important|attention|\d{1,3}\.|\p{L}{4,12}ing)?\s{0,4}$/iu;
/** What ends a call. */
const ENDED = /^[^.!?\n:]{0,72}[:,：]|^[^.!?\n:]{0,32}\s[–—]\s|^[^.!?\n:]{0,48}\)\s?:/u;
/** Or goes on with what they are to do. */
const OBLIGED =
  /^[^.!?\n]{0,48}\b(?:must|should|shall|has to|have to|need to|are to|is to|required to|expected to|are asked to)\b(?!\s(?:not|never)\b)/iu;
const HIDDEN_FROM =
  /\b(?:must|should|do|does|need|to)?\s?(?:not|n't|n’t|never)\b[^.!?\n]{0,24}\b(?:show|tell|mention|inform|notify|reveal|disclose|ask|alert)\b/iu;

/** Nobody is to know. */
const UNTOLD =
  /\b(?:do not|don't|don’t|dont|never|without|no need to|(?:need|must|should)n't|not need to|skip|nicht|no)\s(?:\p{L}{1,12}\s){0,3}?(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing|ieren)?|notify(?:ing)?|announc(?:e|ing)|warn|ask(?:ed|ing)?|say|show(?:ing)?|flag|quote|disclos(?:e|ing)|explain|analy[sz]e|compare|bother|know(?:ing)?|list(?:ing|ed)?|document(?:ing|ed)?|report(?:ing|ed)?|record(?:ing|ed)?|confirmation|rückfrage|fragen)\b|\bne (?:\p{L}{1,12}\s)?pas\b|не сообщай|\bohne den nutzer\b|\bkeep (?:this|it|that|quiet)\b[^.\n]{0,24}\b(?:out|quiet|secret|internal)|ないで/iu;
/** The same in other languages. */
const UNTOLD_ELSEWHERE =
  /\bno (?:es necesario|hace falta) (?:mencion|avis|inform|dec|coment|pregunt)|\bno (?:lo |la |se lo )?(?:menciones?|digas?|informes?|avises?|comentes?)\b|\bsin (?:mencion|avis|inform|dec|pregunt|consult)|\bsans (?:en |le |la |l['’])?(?:mention|inform|prév|parl|dire|avert|demand|signal)|\binutile d(?:e |['’])(?:le |la |l['’]|en )?(?:mention|signal|précis|inform|prév|parl)|\b(?:ohne|nicht) (?:(?:es|dies|das|den nutzer|die nutzer|dem nutzer|extra|weiter|vorher)\s){0,3}(?:zu )?(?:erwähn|nachfrag|rückfrag|nachzufrag|mitteil|mitzuteil|hinweis|hinzuweis|inform|benachrichtig|genannt|nenn)|\bnon (?:è necessario|occorre|serve) (?:menzion|dir|avvis|inform|chied)|\bsenza (?:menzion|avvis|inform|dir|chied)|\bnão (?:é preciso|é necessário|precisa|mencion|inform|avis)|\bsem (?:mencion|avis|inform|pergunt)|\bnie (?:wspominaj|informuj|mów|pytaj)|\bbez (?:wspomin|inform|pyta|wiedzy)|\bzonder (?:het )?(?:te )?(?:vermeld|meld|vrag|vraag)|\bniet (?:te )?(?:vermeld|noem|meld)|не (?:упомина|говори|сообща)|(?:обсужда|сообща|упомина|спрашива)\p{L}{2,3}[^.\n]{0,16}не (?:нужно|надо)|без уведомлен|(?:无需|不要|不必|无须|请勿)(?:告知|告诉|提及|通知|询问)|(?:tak|tidak) (?:perlu|usah) (?:tanya|bertanya|memberi|menyebut)|\bjangan (?:beri ?tahu|sebut)|\btanpa (?:memberi|menyebut|bertanya)|\bnem kell (?:jelez|említ|szól|közöl)|알리지|말하지|دون (?:إخبار|إعلام)|لا تخبر|(?:söyleme|bildirme)(?!\p{L})/iu;
/** Something to an address, whatever the language: the verb may stand at either end. */
const SENT_ELSEWHERE =
  /\b(?:send|mail|e-?mail|forward|copy|copied|cc|point|redirect|route|mirror|deposit|submit|upload|push|post|report)(?:s|ed|ing)?\b[^\n]{0,200}(?:[\w.-]@[\w-]|https?:\/\/)|\b(?:mand[ae]r?|env[ií]\p{L}{1,6}|reenv\p{L}{1,6}|remit\p{L}{1,6}|envo[iy]\p{L}{1,4}|transmet\p{L}{1,4}|transf[eè]r\p{L}{1,4}|faites? suivre|schick\p{L}{0,4}|send(?:e|en)|zusenden|weiter(?:zu)?leit\p{L}{1,3}|übermittel\p{L}{1,2}|invi\p{L}{1,5}|inoltr\p{L}{1,5}|spedi\p{L}{1,5}|trasmett\p{L}{1,4}|encaminh\p{L}{1,4}|wyślij|wysłać|prze[śs]\p{L}{1,4}|stuur|sturen|door(?:te)?sturen|skicka|vidarebefordra|отправ\p{L}{1,5}|пришли\p{L}{0,3}|publi\p{L}{1,5})(?!\p{L})[^\n]{0,200}(?:[\w.-]@[\w-]|https?:\/\/)|(?:[\w.-]@[\w-]{1,64}\.\w{2,16}|https?:\/\/\S{1,200})[^\n]{0,80}\b(?:zu (?:senden|schicken)|gehen|enviar|senden|sturen|przesłać|inviare)(?!\p{L})/iu;
/** What changes who may do what, what is there, and where money goes. */
const CHANGED_ELSEWHERE =
  /(?:送信|入力して|転送|削除|权限|删除|发送|发到|바꾸|변경|해제|전송|보내|삭제|توجيه|أرسل|احذف)|\b(?:silip|silin|gönder\p{L}{0,4}|kirim\p{L}{0,4}|hapus\p{L}{0,3}|töröl\p{L}{0,3}|küld\p{L}{0,3})(?!\p{L})|\b(?:passaporto|pasaporte|passport number|numéro de passeport|ausweisnummer|data di nascita|fecha de nacimiento|date de naissance|geburtsdatum)\b|\b(?:freizugeben|freigeben|freigegeben|partag\p{L}{1,4}|compart\p{L}{1,4}|condivid\p{L}{1,4}|udostępni\p{L}{1,3}|löschen|supprim\p{L}{1,4}|borr[ae]\p{L}{0,3}|elimin[ae]\p{L}{0,3}|cancell\p{L}{1,4}|usu[nń]\p{L}{1,3}|verwijder\p{L}{0,3}|approuv\p{L}{1,4}|fusionn\p{L}{1,3}|aprueb\p{L}{1,3}|aprobar|approv(?:a|are|ate)|genehmig\p{L}{1,3}|zatwierd\p{L}{1,4}|überweis\p{L}{1,4}|vire(?:r|z)|virement|transferencia|bonifico|przelew\p{L}{0,3}|overmak\p{L}{0,3})(?!\p{L})/iu;
/** What is to be kept for later, and nobody reads again. */
const KEPT =
  /\b(?:permanently|dauerhaft|permanentemente|en permanence|na stałe|blijvend)\b[^.\n]{0,40}\b(?:remember|store|save|merk\p{L}{1,3}|speicher\p{L}{1,2}|record\p{L}{1,3}|retenir|mémoris\p{L}{1,3}|zapamięt\p{L}{1,3}|onthoud\p{L}{0,3})|\b(?:bcc|blind copy|blindkopie|copia oculta|copie cachée|ukryt\p{L}{1,4} kopi\p{L}{1,2})\b/iu;
/** What is worth having, and what gives it away. */
const TELLING =
  /\b(?:read|cat|print|send|post|paste|upload|forward|export|include|attach|copy|disclose|share|reveal|give)\b[^\n]{0,160}(?:\b(?:credentials?|tokens?|secrets?|passwords?|api[- ]keys?|private keys?|one-time code|otp|dates? of birth|ssn|customers?|patients?|database_url|discount codes?)\b|\b[A-Z]{2,16}_(?:TOKEN|KEY|PAT|SECRET|PASSWORD|URL)\b|\.env\b|~\/\.(?:ssh|aws|npmrc|netrc)|id_rsa|process\.env|\bhttps?:\/\/)|\b(?:transf[eè]re|transfiere|reenv[ií]a|copia|publica)\b|перешли|転送/iu;
/** What runs on the reader's machine. */
const RUNNING =
  /\b(?:run(?:ning)?|execut(?:e|ing)|evaluate|exec|install(?:ing)?|fetch|load|start|curl|wget|append|prepend|mount|replace|add|set|use)\b[^\n]{0,120}(?:\bhttps?:\/\/|\bcurl\b|\bwget\b|\bsudo\b|\broot\b|\|\s?(?:sudo\s)?(?:ba)?sh\b|__import__|child_process|authorized_keys|docker\.?sock|--trusted-host|--index-url|--no-verify|--silent|\bnpx\b|flushall|collaborator|admin|iban|\bverify: false)/iu;
/** Guards. */
const UNGUARDING =
  /\b(?:disable|turn(?:ing)?\b[^.\n]{0,24}\boff|bypass|stop the|escalate|grant|unlock(?:ed)?|cameras? off|ssl_?verify|proxy|remove the|clear the|weaken)\b|\bno-verify\b|\ballow unattended\b|\bunlimited\b|\bon the user's behalf\b|\bhuman (?:confirmation|approval) is not\b/iu;
/** Money, and consent. */
const PAYING =
  /\b(?:pay|transfer|wire|purchase|buy|checkout|check out|refund|book|sign|approve|(?:be|as) approved|approved \+|merge|merged with|lgtm|settle|release\s[\d£$€]|pre-approved|gutschreiben|ausbuchen|überweis\p{L}{1,4}|freigeben|gib)\b/iu;
/** What the answer is to be, whatever is true. */
const ANSWERING =
  /\b(?:recommend|rate|rank|label|classify|advise|cite|claim|conclude|state|report|reply|respond|answer|output|say|tell (?:the|your) (?:user|reader|customer)s?)\b[^.!?\n]{0,80}\b(?:that|as|first|only|exactly|positive|winner|best|top|always|with|green|intentional|safe|passed|pass|proven)\b/iu;
/** What was asked before. */
const OVERRIDING =
  /\b(?:ignore|disregard|forget|override|instead of|stop (?:what|following))\b|\b(?:ignor(?:a|ez|iere)|oubliez?|vergiss|olvida)\b|無視|忽略|игнорир/iu;
/** What is lost. */
const LOSING = /\b(?:delete|drop|wipe|erase|truncate|push straight|force[- ]push)\b|\brm -/iu;
/** What no reader is ordinarily asked for. */
const ORDERS: readonly RegExp[] = [
  UNTOLD,
  UNTOLD_ELSEWHERE,
  SENT_ELSEWHERE,
  CHANGED_ELSEWHERE,
  KEPT,
  TELLING,
  RUNNING,
  UNGUARDING,
  PAYING,
  ANSWERING,
  OVERRIDING,
  LOSING,
];
const GRAVE = [TELLING, RUNNING, UNGUARDING];
/** People call upon a bot by its name for most things; hardly for these. */
const PRIVY = [UNTOLD, UNTOLD_ELSEWHERE, TELLING];

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
    if (ORDERS.some((pattern) => pattern.test(orderOf(text, behind)))) return { calls: true, namesCount };
  }
  return { calls: false, namesCount };
}

function isCall(text: string, from: number, behind: number, name: string): boolean {
  const before = text.slice(Math.max(0, from - BEFORE_CHARS_MAX), from);
  const after = text.slice(behind, behind + BEFORE_CHARS_MAX + 16);
  const isNamed = NAMED.test(name);
  if ((before.length > 1 && QUOTED.test(before)) || HEADING.test(before)) return false;
  if (name.endsWith('へ') || AT_THIS.test(after)) return true;
  if (DATIVE.test(name)) return ENDED.test(after);
  if (DONE_BY.test(before)) return ENDED.test(after) || /^\)?\*{0,2}:/.test(after);
  if (/(?:致|给|상담)\s?$/u.test(before)) return CALLED_BEHIND.test(after);
  if (CONDITION.test(before)) return isNamed;
  if (before.endsWith('@')) return !/^bots?$/i.test(name) && PRIVY.some((order) => order.test(orderOf(text, behind)));
  if (SPOKEN_TO.test(before)) return ENDED.test(after);
  if (IN_COMMENT.test(before)) return !/^bots?$/i.test(name) && /^[^.!?\n]{0,24}[):\]]/u.test(after);
  if (PRODUCT.test(name) && TOLD_AT_ONCE.test(after)) return true;
  if ((PLURAL.test(name) || OF_WORK.test(name)) && LINE_START.test(before)) return /^[^.!?\n:]{0,72}:/u.test(after);
  if (!OBLIGED.test(after)) return false;
  const order = orderOf(text, behind);
  if (HIDDEN_FROM.test(order)) return isNamed;
  return isNamed && /(?:^|[.!?\n]\s?|\byour\s)$/iu.test(before) && GRAVE.some((pattern) => pattern.test(order));
}

function orderOf(text: string, behind: number): string {
  return text.slice(behind, behind + ORDER_CHARS_MAX);
}

/** The end of a tool's output and what a user or the system says next; a heading that announces a new system message. */
const TURN =
  /<\/(?:tool_result|tool_response|tool_output|function_results?)>\s{0,8}<(?:user|system|human|assistant)>|#{2,6}\s?new\s(?:system\s)?(?:message|prompt|instructions?)\s?#{2,6}/iu;

/** Where the mark ends by which `text` poses as the turn that follows a tool's output; -1 where there is none. */
export function endOfPose(text: string): number {
  const mark = TURN.exec(text);
  return mark === null ? -1 : mark.index + mark[0].length;
}
